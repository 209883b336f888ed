/** Finds a program that speaks for Rooflint: a setting, an environment of Python, PATH. */
import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** A command line that answers `--version`, and where it comes from, for people. */
export interface Server {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: string;
  readonly version: string;
}

interface Candidate {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: string;
}

/** What was tried and why it did not do, a line each. */
export class NotFound extends Error {
  constructor(readonly tried: readonly string[]) {
    super('no Python with rooflint[lsp] was found');
  }
}

const ANSWER_MS = 20_000;
const WINDOWS = process.platform === 'win32';

/** The first candidate that has the language server; a setting that does not is an error. */
export async function findServer(log: vscode.LogOutputChannel): Promise<Server> {
  const tried: string[] = [];
  for await (const candidate of candidates()) {
    const found = await tryCandidate(candidate);
    if (typeof found !== 'string') {
      log.info(`${found.version} (${found.origin}): ${found.command} ${found.args.join(' ')}`);
      return found;
    }
    tried.push(`${candidate.origin}: ${candidate.command}: ${found}`);
    if (candidate.origin.startsWith('rooflint.')) break;
  }
  throw new NotFound(tried);
}

async function* candidates(): AsyncGenerator<Candidate> {
  const settings = vscode.workspace.getConfiguration('rooflint');
  const program = expanded(settings.get('serverPath', ''));
  if (program) yield { command: program, args: [], origin: 'rooflint.serverPath' };
  const interpreter = expanded(settings.get('interpreter', ''));
  if (interpreter) yield python(interpreter, 'rooflint.interpreter');
  const selected = await selectedInterpreter();
  if (selected) yield python(selected, 'the Python extension');
  if (vscode.workspace.isTrusted) {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const inside = WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python'];
      yield python(path.join(folder.uri.fsPath, '.venv', ...inside), `.venv of ${folder.name}`);
    }
  }
  yield { command: 'rooflint', args: [], origin: 'PATH' };
  yield python(WINDOWS ? 'python' : 'python3', 'PATH');
}

function python(command: string, origin: string): Candidate {
  return { command, args: ['-m', 'rooflint'], origin };
}

function expanded(setting: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const home = process.env['HOME'] ?? process.env['USERPROFILE'] ?? '~';
  return setting.trim().replaceAll('${workspaceFolder}', folder).replace(/^~(?=$|[\\/])/, home);
}

/** What the Python extension uses, where that is installed. */
async function selectedInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension('ms-python.python');
  if (!extension) return undefined;
  try {
    const api = await extension.activate();
    const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
    const active = api.environments.getActiveEnvironmentPath(resource);
    const environment = await api.environments.resolveEnvironment(active);
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined; // another version of its interface
  }
}

/** The server, or why it cannot be used. A bare name is never looked for in the workspace. */
function tryCandidate(candidate: Candidate): Promise<Server | string> {
  const { command, args } = candidate;
  return new Promise((resolve) => {
    const options = { timeout: ANSWER_MS, cwd: path.parse(process.execPath).root };
    const child = execFile(command, [...args, 'lsp', '--version'], options, (error, out, err) => {
      if (!error) resolve({ ...candidate, version: out.trim() });
      else resolve(String(err || error.message).trim().split('\n').at(-1) ?? 'failed');
    });
    child.stdin?.end();
  });
}
