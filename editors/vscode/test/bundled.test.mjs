/** The first minute of somebody who installed one file and nothing else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Editor, probe, until } from './editor.mjs';

const FILE = { path: '/kernels.c' };
const COLUMNS = 6; // the inner loop of `columns`, lines from 0
let editor;

before(async () => {
  editor = await Editor.open('kernels.c');
});
after(() => editor?.close());

test('a hint is on screen', async () => {
  const at = async () => (await probe('hints', FILE)).find((hint) => hint.line === COLUMNS);
  const hint = await until(at, Boolean, 'a hint on the loop', 60_000);
  await until(() => editor.lineText('i < N; i++)'), (text) => text.includes(hint.label), 'the hint on screen');
  await editor.shot(`bundled-${process.env.BUNDLED}`);
});

test('nothing was asked or notified', async () => {
  assert.equal(await editor.page.locator('.notification-toast').count(), 0);
});
