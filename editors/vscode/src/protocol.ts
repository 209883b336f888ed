/** What client and server say to each other beside the protocol; see docs/editors.md. */

export type Hints = 'all' | 'problems' | 'off';

/** Notification `rooflint/status`. */
export interface Status {
  readonly uri: string | null;
  readonly state: 'starting' | 'ready' | 'analysing' | 'failed' | 'off';
  readonly machine: string | null;
  readonly message: string;
  readonly hints: Hints;
  readonly loops: number;
  /** Loops worth a change. */
  readonly worth: number;
  /** Nobody chose the machine, and its figures are typical ones. */
  readonly generic: boolean;
  /** The search for changes in the current text has ended. */
  readonly searched: boolean;
  /** `3 of 51 · generic machine, not yours`. */
  readonly text: string;
}

/** A loop in the list of hot loops; lines and characters from 0. */
export interface HotLoop {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
  readonly function: string;
  readonly share: number;
  readonly shareText: string;
  readonly hint: string;
  readonly rule: string | null;
}

export interface HotLoops {
  readonly title: string;
  readonly loops: readonly HotLoop[];
}

/** A page to show: of a report or a comparison. */
export interface Page {
  readonly title: string;
  readonly html: string;
}

/** An explanation to show. */
export interface Text {
  readonly title: string;
  readonly markdown: string;
}

export interface MachineName {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly file: string;
}

export interface Machines {
  readonly machines: readonly MachineName[];
  readonly chosen: readonly string[];
  readonly default: string;
}

/** Argument of `rooflint.setSize`. */
export interface SizeRequest {
  readonly uri: string;
  readonly line: number;
  readonly name: string;
  readonly value: number;
  /** Written into `rooflint.toml` rather than as a comment. */
  readonly project?: boolean;
}

export const SERVER = {
  report: 'rooflint.server.report',
  explain: 'rooflint.server.explain',
  compareMachines: 'rooflint.server.compareMachines',
  setSize: 'rooflint.server.setSize',
  analyseFile: 'rooflint.server.analyseFile',
  analyseWorkspace: 'rooflint.server.analyseWorkspace',
  measure: 'rooflint.server.measure',
  machines: 'rooflint.server.machines',
  selectMachine: 'rooflint.server.selectMachine',
  selectCores: 'rooflint.server.selectCores',
  toggleHints: 'rooflint.server.toggleHints',
  applyFix: 'rooflint.server.applyFix',
  hotLoops: 'rooflint.server.hotLoops',
} as const;
