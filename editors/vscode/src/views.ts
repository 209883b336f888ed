/** What the server hands over to be shown: pages in a panel, explanations as a preview. */
import * as vscode from 'vscode';
import type { Page, Text } from './protocol';

const PANEL = 'rooflint.report';
const SCHEME = 'rooflint-explain';

/** Shows pages in one panel beside the source, and explanations; dispose() closes them. */
export class Views implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private panel: vscode.WebviewPanel | undefined;
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  dispose(): void {
    this.panel?.dispose();
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Shows what a command of the server answered, if it is something to show. */
  async show(answer: unknown): Promise<void> {
    if (isPage(answer)) this.page(answer);
    else if (isText(answer)) await this.text(answer);
  }

  private page(page: Page): void {
    if (!this.panel) {
      // the page brings a policy that lets only its own script run, and loads nothing
      const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
      const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      this.panel = vscode.window.createWebviewPanel(PANEL, page.title, place, options);
      this.panel.onDidDispose(() => (this.panel = undefined));
    }
    this.panel.title = page.title;
    this.panel.webview.html = page.html;
    this.panel.reveal(undefined, true);
  }

  private async text(text: Text): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${text.title}.md` });
    this.texts.set(uri.toString(), text.markdown);
    this.changed.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }
}

function isPage(answer: unknown): answer is Page {
  return has(answer, 'title') && has(answer, 'html');
}

function isText(answer: unknown): answer is Text {
  return has(answer, 'title') && has(answer, 'markdown');
}

function has(answer: unknown, key: string): boolean {
  return typeof answer === 'object' && answer !== null && typeof Reflect.get(answer, key) === 'string';
}
