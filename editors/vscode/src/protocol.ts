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
  readonly problems: number;
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
  toggleHints: 'rooflint.server.toggleHints',
} as const;
