/** The machine and the state of the server in the status bar. */
import * as vscode from 'vscode';
import type { Status } from './protocol';

const ICONS: Record<Status['state'], string> = {
  starting: '$(loading~spin)',
  ready: '$(dashboard)',
  analysing: '$(loading~spin)',
  failed: '$(warning)',
  off: '$(circle-slash)',
};
const LANGUAGES = new Set(['c', 'cpp', 'cuda-cpp']);

/** One item; shown while a C or C++ file is, or after something went wrong. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'rooflint.status', vscode.StatusBarAlignment.Right, 100,
  );
  private readonly byDocument = new Map<string, Status>();
  private readonly active: vscode.Disposable;
  private general: Status | undefined;

  constructor() {
    this.item.name = 'Rooflint';
    this.item.command = 'rooflint.menu';
    this.active = vscode.window.onDidChangeActiveTextEditor(() => this.draw());
  }

  dispose(): void {
    this.active.dispose();
    this.item.dispose();
  }

  /** What the server says of a document, or of itself. */
  update(status: Status): void {
    if (status.uri === null) this.general = status;
    else this.byDocument.set(status.uri, status);
    this.draw();
  }

  /** What the client knows of the server while that cannot speak. */
  state(state: Status['state'], message: string): void {
    this.byDocument.clear();
    const counts = { loops: 0, worth: 0, generic: false, searched: false, text: '' } as const;
    const known = { uri: null, machine: null, hints: 'problems', ...counts } as const;
    this.update({ ...known, state, message });
  }

  /** Forgets a closed document. */
  forget(uri: vscode.Uri): void {
    this.byDocument.delete(uri.toString());
  }

  private draw(): void {
    const editor = vscode.window.activeTextEditor;
    const ours = editor !== undefined && LANGUAGES.has(editor.document.languageId);
    const status = (ours && this.byDocument.get(editor.document.uri.toString())) || this.general;
    if (!status || (!ours && status.state !== 'failed')) {
      this.item.hide();
      return;
    }
    const text = status.text || status.machine;
    this.item.text = `${ICONS[status.state]} Rooflint${text ? `: ${text}` : ''}`;
    this.item.tooltip = [
      `Rooflint: ${status.state}${status.message ? `, ${status.message}` : ''}`,
      ours && status.uri !== null ? `${status.worth} of ${status.loops} loops worth a change` : '',
      status.machine ? `machine: ${status.machine}` : '',
      status.generic ? 'its figures are typical ones: choose, detect or probe yours' : '',
      status.hints === 'off' ? 'hints are off' : '',
    ].filter(Boolean).join('\n');
    this.item.backgroundColor =
      status.state === 'failed' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.show();
  }
}
