/** The commands of the palette, the status bar's menu, and those that code actions carry. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Server } from './server';
import { SERVER, type Hints, type Machines, type SizeRequest } from './protocol';

/** What the commands need of the extension. */
export interface Host {
  readonly client: LanguageClient | undefined;
  readonly server: Server | undefined;
  readonly log: vscode.LogOutputChannel;
  restart(): Promise<void>;
}

type Command = (...args: unknown[]) => Promise<void> | void;

/** Registers them all; those that speak to the server say so when there is none. */
export function registerCommands(host: Host): vscode.Disposable {
  const commands: Record<string, Command> = {
    'rooflint.showReport': () => ask(host, SERVER.report, here(true)),
    'rooflint.showFileReport': () => ask(host, SERVER.report, here(false)),
    'rooflint.compareMachines': () => ask(host, SERVER.compareMachines, here(true)),
    'rooflint.analyseFile': () => ask(host, SERVER.analyseFile, here(false)),
    'rooflint.analyseWorkspace': () => analyseWorkspace(host),
    'rooflint.measure': () => measure(host),
    'rooflint.toggleHints': () => ask(host, SERVER.toggleHints, {}),
    'rooflint.selectHints': () => selectHints(host),
    'rooflint.selectMachine': () => selectMachine(host),
    'rooflint.selectCores': () => selectCores(host),
    'rooflint.probeMachine': () => probeMachine(host),
    'rooflint.explain': () => explain(host),
    'rooflint.setSize': (request) => setSize(host, request as SizeRequest),
    'rooflint.restart': () => host.restart(),
    'rooflint.showOutput': () => host.log.show(),
    'rooflint.menu': () => menu(),
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, run),
  );
  return vscode.Disposable.from(...registered);
}

/** Runs a command of the server; what it answers is shown by the client's middleware. */
async function ask<Answer>(host: Host, command: string, argument: object | undefined): Promise<Answer | undefined> {
  if (!host.client?.isRunning()) {
    const choice = await vscode.window.showWarningMessage('Rooflint: the server does not run.', 'Restart', 'Show Output');
    if (choice === 'Restart') await host.restart();
    else if (choice) host.log.show();
    return undefined;
  }
  if (argument === undefined) {
    void vscode.window.showInformationMessage('Rooflint: open a C or C++ file first.');
    return undefined;
  }
  try {
    return await vscode.commands.executeCommand<Answer>(command, argument);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    host.log.error(`${command}: ${reason}`);
    void vscode.window.showErrorMessage(`Rooflint: ${reason}`);
    return undefined;
  }
}

/** The document being edited, with the cursor's line where that is asked for. */
function here(line: boolean): object | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const uri = editor.document.uri.toString();
  return line ? { uri, line: editor.selection.active.line } : { uri };
}

async function analyseWorkspace(host: Host): Promise<void> {
  type Done = { files: number; loops: number; failed: number; cancelled: boolean };
  const done = await ask<Done>(host, SERVER.analyseWorkspace, {});
  if (!done) return;
  const failed = done.failed ? `, ${done.failed} not analysed` : '';
  const how = done.cancelled ? 'cancelled after' : 'analysed';
  void vscode.window.showInformationMessage(`Rooflint: ${how} ${done.files} files with ${done.loops} loops${failed}.`);
}

/** Code of the workspace runs: the server asks before the first time, and needs to know of trust. */
async function measure(host: Host): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage('Rooflint: only a trusted workspace is measured.');
    return;
  }
  const place = here(true);
  await ask(host, SERVER.measure, place && { ...place, trusted: vscode.workspace.isTrusted });
}

async function selectMachine(host: Host): Promise<void> {
  const found = await ask<Machines>(host, SERVER.machines, {});
  if (!found) return;
  type Item = vscode.QuickPickItem & { machine: string | null };
  const machines: Item[] = found.machines.map((each) => ({
    label: `${found.chosen.includes(each.name) ? '$(check) ' : ''}${each.name}`,
    description: each.aliases.join(', '),
    detail: each.description,
    machine: each.name,
  }));
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator, machine: null };
  const own: Item = { label: 'As configured', detail: 'Settings, rooflint.toml, or the default machine', machine: null };
  const options = { placeHolder: 'Machine to predict for', matchOnDescription: true, matchOnDetail: true };
  const choice = await vscode.window.showQuickPick([own, separator, ...machines], options);
  if (choice) await ask(host, SERVER.selectMachine, { machine: choice.machine });
}

const CORES = /^(socket|node|0*[1-9]\d*)$/;

async function selectCores(host: Host): Promise<void> {
  type Item = vscode.QuickPickItem & { cores?: string | null };
  const items: Item[] = [
    { label: 'As configured', detail: 'Settings, rooflint.toml, or the code: one socket in OpenMP regions, else one core', cores: null },
    { label: 'One core', cores: '1' },
    { label: 'One socket', cores: 'socket' },
    { label: 'The whole node', cores: 'node' },
    { label: 'A number…' },
  ];
  const choice = await vscode.window.showQuickPick(items, { placeHolder: 'Active cores to predict for' });
  if (!choice) return;
  const cores = choice.cores === undefined ? await askCores() : choice.cores;
  if (cores !== undefined) await ask(host, SERVER.selectCores, { cores });
}

/** A number of cores that the user types. */
async function askCores(): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    prompt: 'Active cores to predict for',
    validateInput: (given) => (CORES.test(given.trim()) ? undefined : 'a number above 0, socket or node'),
  });
  return text?.trim();
}

const PROBED = 'this-computer.yaml';

/** Measures this computer in a task that the user sees; what it writes is the workspace's machine. */
async function probeMachine(host: Host): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!host.server || !folder || !vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage('Rooflint: only a trusted workspace folder can have a machine of its own.');
    return;
  }
  const question = `Measure this computer? It takes 2 to 5 minutes with little else running, needs a C compiler, and writes ${PROBED}.`;
  if ((await vscode.window.showInformationMessage(question, { modal: true }, 'Measure')) !== 'Measure') return;
  const args = [...host.server.args, 'machine', 'probe', '-o', PROBED];
  const work = new vscode.ProcessExecution(host.server.command, args, { cwd: folder.uri.fsPath });
  const task = new vscode.Task({ type: 'rooflint' }, folder, 'measure this computer', 'Rooflint', work);
  const running = await vscode.tasks.executeTask(task);
  const ended = vscode.tasks.onDidEndTaskProcess(async ({ execution, exitCode }) => {
    if (execution !== running) return;
    ended.dispose();
    if (exitCode !== 0) return;
    const settings = vscode.workspace.getConfiguration('rooflint', folder.uri);
    await settings.update('machine', PROBED, vscode.ConfigurationTarget.WorkspaceFolder);
  });
}

async function selectHints(host: Host): Promise<void> {
  const choices: (vscode.QuickPickItem & { hints: Hints })[] = [
    { label: 'Loops worth a look', hints: 'problems' },
    { label: 'All innermost loops', hints: 'all' },
    { label: 'None', hints: 'off' },
  ];
  const choice = await vscode.window.showQuickPick(choices, { placeHolder: 'Loops that have a hint' });
  if (choice) await ask(host, SERVER.toggleHints, { hints: choice.hints });
}

async function explain(host: Host): Promise<void> {
  const prompt = 'A rule (RL101), a model (roofline) or a word of the reports (ridge point)';
  const word = await vscode.window.showInputBox({ prompt });
  if (word?.trim()) await ask(host, SERVER.explain, { word: word.trim() });
}

async function setSize(host: Host, request: SizeRequest): Promise<void> {
  const text = await vscode.window.showInputBox({
    prompt: `Value of ${request.name}, written ${request.project ? 'into rooflint.toml' : 'as a comment above the function'}`,
    value: String(request.value),
    validateInput: (given) => (/^\d+$/.test(given.trim()) ? undefined : 'a whole number, such as 4096'),
  });
  if (text !== undefined) await ask(host, SERVER.setSize, { ...request, value: Number(text.trim()) });
}

async function menu(): Promise<void> {
  const entries: [label: string, command: string][] = [
    ['$(server) Select machine…', 'rooflint.selectMachine'],
    ['$(circuit-board) Select cores…', 'rooflint.selectCores'],
    ['$(pulse) Probe this computer…', 'rooflint.probeMachine'],
    ['$(flame) Hot loops', 'rooflint.hotLoops.focus'],
    ['$(eye) Show or hide hints', 'rooflint.toggleHints'],
    ['$(list-filter) Select which loops have hints…', 'rooflint.selectHints'],
    ['$(graph) Show report of the file', 'rooflint.showFileReport'],
    ['$(play) Analyse file', 'rooflint.analyseFile'],
    ['$(play-circle) Analyse workspace', 'rooflint.analyseWorkspace'],
    ['$(dashboard) Measure the function…', 'rooflint.measure'],
    ['$(question) Explain a term or a rule…', 'rooflint.explain'],
    ['$(debug-restart) Restart server', 'rooflint.restart'],
    ['$(output) Show output', 'rooflint.showOutput'],
  ];
  const items = entries.map(([label, command]) => ({ label, command }));
  const choice = await vscode.window.showQuickPick(items, { placeHolder: 'Rooflint' });
  if (choice) await vscode.commands.executeCommand(choice.command);
}
