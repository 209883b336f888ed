/** The view "Hot Loops": the loops of the document being edited, those of most time first. */
import * as vscode from 'vscode';
import { SERVER, type HotLoop, type HotLoops } from './protocol';

/** Asks the server; undefined where it does not run. */
export type Ask = (uri: string) => Promise<HotLoops | undefined>;

const LANGUAGES = new Set(['c', 'cpp', 'cuda-cpp']);
const PAUSE_MS = 200;

/** A list that follows the active editor and is asked for again after each analysis. */
export class HotLoopsView implements vscode.TreeDataProvider<HotLoop>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<HotLoop>;
  private readonly active: vscode.Disposable;
  private pause: NodeJS.Timeout | undefined;

  constructor(private readonly ask: Ask) {
    this.view = vscode.window.createTreeView('rooflint.hotLoops', { treeDataProvider: this });
    this.active = vscode.window.onDidChangeActiveTextEditor(() => this.refresh());
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.active.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  /** The server has news; several in a row are one. */
  refresh(): void {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.changed.fire(), PAUSE_MS);
  }

  async getChildren(parent?: HotLoop): Promise<HotLoop[]> {
    const document = vscode.window.activeTextEditor?.document;
    if (parent || !document || !LANGUAGES.has(document.languageId)) return [];
    const answer = await this.ask(document.uri.toString());
    this.view.message = answer?.title ?? '';
    return [...(answer?.loops ?? [])];
  }

  getTreeItem(loop: HotLoop): vscode.TreeItem {
    const place = new vscode.Position(loop.line, loop.character);
    const item = new vscode.TreeItem(`${loop.shareText || '–'}  ${loop.hint}`);
    item.description = `${loop.function}, line ${loop.line + 1}`;
    item.tooltip = [loop.hint, loop.shareText, item.description].filter(Boolean).join('\n');
    item.iconPath = new vscode.ThemeIcon(loop.rule ? 'lightbulb' : 'flame');
    item.command = {
      title: 'Reveal',
      command: 'vscode.open',
      arguments: [vscode.Uri.parse(loop.uri), { selection: new vscode.Range(place, place) }],
    };
    return item;
  }
}

/** Asks through the command that the server registers. */
export async function askServer(uri: string): Promise<HotLoops | undefined> {
  return vscode.commands.executeCommand<HotLoops>(SERVER.hotLoops, { uri });
}
