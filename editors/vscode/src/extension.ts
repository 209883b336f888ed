/** Starts the language server and keeps it: one client a window, started again when told to. */
import * as vscode from 'vscode';
import { LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
import type { LanguageClientOptions, ServerOptions } from 'vscode-languageclient/node';
import { registerCommands, type Host } from './commands';
import { askServer, HotLoopsView } from './hotLoops';
import { SERVER, type Status } from './protocol';
import { findServer, NotFound, type Server } from './server';
import { StatusBar } from './status';
import { Views } from './views';

const SELECTOR = [
  ...['c', 'cpp', 'cuda-cpp'].flatMap((language) => [
    { scheme: 'file', language },
    { scheme: 'untitled', language },
  ]),
  // of these the server shows mistakes only
  ...['**/{rooflint,.rooflint,pyproject}.toml', '**/*.{yaml,yml}'].map((pattern) => ({ scheme: 'file', pattern })),
];
const RESTART_FOR = ['rooflint.serverPath', 'rooflint.interpreter', 'rooflint.importStrategy'];
/** Commands that links in hovers may run: the text around them is the server's, not the source's. */
const LINKED = [SERVER.applyFix, SERVER.explain, SERVER.report, SERVER.compareMachines, 'rooflint.setSize'];
const STOP_MS = 3_000;

class Extension implements Host, vscode.Disposable {
  client: LanguageClient | undefined;
  server: Server | undefined;
  readonly log = vscode.window.createOutputChannel('Rooflint', { log: true });
  private readonly status = new StatusBar();
  private readonly views = new Views();
  private readonly hotLoops = new HotLoopsView(async (uri) =>
    this.client?.isRunning() ? askServer(uri) : undefined,
  );
  private waiting: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {}

  dispose(): void {
    this.status.dispose();
    this.views.dispose();
    this.hotLoops.dispose();
    this.log.dispose();
  }

  closed(document: vscode.TextDocument): void {
    this.status.forget(document.uri);
  }

  /** Stops what runs and starts anew; calls that overlap wait for each other. */
  restart(): Promise<void> {
    this.waiting = this.waiting.then(() => this.stop()).then(() => this.start());
    return this.waiting;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // a server that does not answer is killed by the client after this time
    await client?.dispose(STOP_MS).catch((error: unknown) => this.log.warn(String(error)));
  }

  private async start(): Promise<void> {
    this.status.state('starting', 'looking for the server');
    let server: Server;
    try {
      server = await findServer(this.context, this.log);
    } catch (error) {
      this.failed(error);
      return;
    }
    this.server = server;
    const client = new LanguageClient('rooflint', 'Rooflint', run(server), this.options());
    client.onNotification('rooflint/status', (status: Status) => {
      this.status.update(status);
      this.hotLoops.refresh();
    });
    client.onDidChangeState(({ newState }) => {
      if (this.client === client && newState === State.Stopped) {
        this.status.state('failed', 'the server ended; see the output');
      }
    });
    this.client = client;
    try {
      await client.start();
      await vscode.commands.executeCommand('setContext', 'rooflint.serverReady', true);
    } catch (error) {
      this.failed(error);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: {
        svgHover: true,
        reportView: true,
        statusNotifications: true,
        setSizePrompt: true,
        commandLinks: true,
      },
      synchronize: { configurationSection: 'rooflint' },
      markdown: { isTrusted: { enabledCommands: LINKED }, supportHtml: false },
      middleware: {
        executeCommand: async (command, args, next) => {
          const answer: unknown = await next(command, args);
          await this.views.show(answer);
          return answer;
        },
      },
    };
  }

  private failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    if (error instanceof NotFound) error.tried.forEach((line) => this.log.error(`  ${line}`));
    this.status.state('failed', message);
    const remedy = "install it with: python3 -m pip install 'rooflint[lsp]'";
    const text = error instanceof NotFound ? `Rooflint: ${message}; ${remedy}` : `Rooflint: ${message}`;
    const choices = ['Open Settings', 'Show Output', 'Try Again'] as const;
    void vscode.window.showErrorMessage(text, ...choices).then(async (choice) => {
      if (choice === 'Open Settings') {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'rooflint.interpreter');
      } else if (choice === 'Show Output') {
        this.log.show();
      } else if (choice === 'Try Again') {
        await this.restart();
      }
    });
  }
}

function run(server: Server): ServerOptions {
  // a module of that name in the workspace must not be what Python imports
  const env = { ...process.env, ...server.env, PYTHONSAFEPATH: '1' };
  const executable = { command: server.command, args: [...server.args, 'lsp'], options: { env } };
  return { run: executable, debug: { ...executable, args: [...executable.args, '--log-level', 'debug'] } };
}

let extension: Extension | undefined;

/** Called by VS Code when the first C or C++ file is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const made = (extension = new Extension(context));
  context.subscriptions.push(
    made,
    registerCommands(made),
    vscode.workspace.onDidCloseTextDocument((document) => made.closed(document)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => made.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (RESTART_FOR.some((name) => event.affectsConfiguration(name))) void made.restart();
    }),
  );
  // a view cannot ask for the language of the active editor
  await vscode.commands.executeCommand('setContext', 'rooflint.active', true);
  await made.restart();
}

/** Called by VS Code before the window closes. */
export async function deactivate(): Promise<void> {
  await extension?.stop();
}
