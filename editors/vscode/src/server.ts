/** Finds a program that speaks for Rooflint: a setting, an environment of Python, PATH, the extension's own. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** A command line that answers `--version`, and where it comes from, for people. */
export interface Server {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string>>;
}

type Candidate = Omit<Server, 'version'>;

/** What was tried and why it did not do, a line each. */
export class NotFound extends Error {
  constructor(readonly tried: readonly string[]) {
    super('no Python with rooflint[lsp] was found');
  }
}

const ANSWER_MS = 20_000;
const WINDOWS = process.platform === 'win32';
/** Names under which a Python lies on PATH; the server in the extension runs from 3.11 on. */
const PYTHONS = WINDOWS ? ['python'] : ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3'];

/** The first candidate that has the language server; a setting that does not is an error. */
export async function findServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Server> {
  const tried: string[] = [];
  for await (const candidate of candidates(context)) {
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

async function* candidates(context: vscode.ExtensionContext): AsyncGenerator<Candidate> {
  const settings = vscode.workspace.getConfiguration('rooflint');
  const program = expanded(settings.get('serverPath', ''));
  if (program) yield { command: program, args: [], origin: 'rooflint.serverPath', env: {} };
  const interpreter = expanded(settings.get('interpreter', ''));
  if (interpreter) yield python(interpreter, 'rooflint.interpreter');
  const own = [...bundled(context)];
  // an untrusted workspace gets what came with the extension, if anything did
  if (own.length && (!vscode.workspace.isTrusted || settings.get('importStrategy') === 'useBundled')) yield* own;
  const selected = await selectedInterpreter();
  if (selected) yield python(selected, 'the Python extension');
  if (vscode.workspace.isTrusted) {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const inside = WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python'];
      yield python(path.join(folder.uri.fsPath, '.venv', ...inside), `.venv of ${folder.name}`);
    }
  }
  yield { command: 'rooflint', args: [], origin: 'PATH', env: {} };
  yield python(WINDOWS ? 'python' : 'python3', 'PATH');
  yield* own;
}

function python(command: string, origin: string, env: Record<string, string> = {}): Candidate {
  return { command, args: ['-m', 'rooflint'], origin, env };
}

/** The server in the extension, by the interpreter beside it, else by one on PATH. */
function* bundled(context: vscode.ExtensionContext): Generator<Candidate> {
  const libs = context.asAbsolutePath(path.join('bundled', 'libs'));
  if (!existsSync(libs)) return;
  const env = {
    PYTHONPATH: libs, // and not -I with another path: child processes of the server need it, too
    PYTHONPYCACHEPREFIX: path.join(context.globalStorageUri.fsPath, 'pycache'),
  };
  const inside = WINDOWS ? ['python.exe'] : ['bin', 'python3'];
  const interpreter = context.asAbsolutePath(path.join('bundled', 'python', ...inside));
  if (existsSync(interpreter)) yield python(interpreter, 'the extension, with its own Python', env);
  for (const name of PYTHONS) yield python(name, 'the extension', env);
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
  const { command, args, env } = candidate;
  return new Promise((resolve) => {
    const cwd = path.parse(process.execPath).root;
    const options = { timeout: ANSWER_MS, cwd, env: { ...process.env, ...env } };
    const child = execFile(command, [...args, 'lsp', '--version'], options, (error, out, err) => {
      if (!error) resolve({ ...candidate, version: out.trim() });
      else resolve(String(err || error.message).trim().split('\n').at(-1) ?? 'failed');
    });
    child.stdin?.end();
  });
}
