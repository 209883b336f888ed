/** Answers POST {call, ...} on loopback with what VS Code's own interface says. */
const http = require('node:http');
const vscode = require('vscode');

const uriOf = ({ path }) => vscode.window.visibleTextEditors
  .map((editor) => editor.document.uri).find((uri) => uri.path.endsWith(path));
const whole = async (uri) => {
  const document = await vscode.workspace.openTextDocument(uri);
  return new vscode.Range(0, 0, document.lineCount, 0);
};

const calls = {
  async text(asked) {
    return (await vscode.workspace.openTextDocument(uriOf(asked))).getText();
  },
  async hints(asked) {
    const uri = uriOf(asked);
    const found = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', uri, await whole(uri));
    return found.map((hint) => ({
      line: hint.position.line,
      character: hint.position.character,
      label: typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join(''),
    }));
  },
  diagnostics(asked) {
    return vscode.languages.getDiagnostics(uriOf(asked)).map((each) => ({
      line: each.range.start.line,
      severity: each.severity,
      source: each.source,
      code: each.code?.value ?? each.code,
      message: each.message,
    }));
  },
  async actions(asked) {
    const at = new vscode.Range(asked.line, asked.character, asked.line, asked.character);
    const found = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', uriOf(asked), at);
    return found.map((action) => action.title);
  },
  async lenses(asked) {
    const found = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uriOf(asked), 99);
    return found.map((lens) => lens.command?.title);
  },
  async insert(asked) {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uriOf(asked), new vscode.Position(asked.line, asked.character), asked.text);
    return vscode.workspace.applyEdit(edit);
  },
  async set({ name, value }) {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Workspace);
    return true;
  },
  reveal(asked) {
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.path.endsWith(asked.path));
    const place = new vscode.Position(asked.line, 0);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenter);
    return true;
  },
  async run({ command, argument }) {
    return vscode.commands.executeCommand(command, argument);
  },
  commands() {
    return vscode.commands.getCommands(true);
  },
};

exports.activate = (context) => {
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    try {
      const asked = JSON.parse(body);
      response.end(JSON.stringify({ answer: (await calls[asked.call](asked)) ?? null }));
    } catch (error) {
      response.end(JSON.stringify({ error: String(error?.stack ?? error) }));
    }
  });
  server.listen(Number(process.env.ROOFLINT_PROBE_PORT), '127.0.0.1');
  context.subscriptions.push({ dispose: () => server.close() });
};
