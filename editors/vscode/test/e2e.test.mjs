/** What a programmer sees and does, in the order of a session. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Editor, probe, until } from './editor.mjs';

const FILE = { path: '/kernels.c' };
const COLUMNS = 6; // the inner loop of `columns`, lines from 0
const VISIBLE_PX = 250;
const LONGEST = 40;
let editor;

before(async () => {
  editor = await Editor.open('kernels.c');
});
after(() => editor?.close());

const hints = () => probe('hints', FILE);
const hintAt = async (line) => (await hints()).find((hint) => hint.line === line);
const findings = async () => (await probe('diagnostics', FILE)).filter((each) => each.source === 'rooflint');

test('a loop with a problem has a hint at the end of its header', async () => {
  const hint = await until(() => hintAt(COLUMNS), Boolean, 'a hint on the loop', 60_000);
  assert.ok(hint.label.length <= LONGEST, hint.label);
  assert.equal(hint.character, '        for (int i = 0; i < N; i++)'.length);
  const line = await until(() => editor.lineText('i < N; i++)'), (text) => text.includes(hint.label), 'the hint on screen');
  assert.match(line, /for \(int i = 0; i < N; i\+\+\)/);
  await editor.shot('hints');
});

test('the finding is on the loop, and is no warning', async () => {
  const found = await until(findings, (each) => each.some(({ code }) => code === 'RL101'), 'RL101');
  const walk = found.find(({ code }) => code === 'RL101');
  assert.ok([COLUMNS - 1, COLUMNS].includes(walk.line), JSON.stringify(walk));
  assert.equal(walk.severity, 2); // information
  assert.match(walk.message, /^page walks: /);
});

test('every kind of hint can be asked for, and none', async () => {
  await probe('set', { name: 'rooflint.hints', value: 'all' });
  const all = await until(hints, (found) => found.length === 3, 'a hint on each of three innermost loops');
  assert.deepEqual(all.map(({ line }) => line), [6, 12, 19]);
  assert.ok(all.every(({ label }) => label.length <= LONGEST));
  await probe('set', { name: 'rooflint.hints', value: 'off' });
  await until(hints, (found) => found.length === 0, 'no hints');
  await probe('set', { name: 'rooflint.hints', value: 'all' });
  await until(hints, (found) => found.length === 3, 'hints again');
});

test('hovering shows the answer within the first 250 pixels, and the plot', async () => {
  const hover = editor.page.locator('.monaco-hover .hover-contents').filter({ hasText: 'cy per iteration' }).first();
  const shown = async () => {
    // an editor that draws its hints anew lets go of a hover that is about to come
    await editor.page.mouse.move(900, 700);
    await editor.line('i < N; i++)').first().locator('span', { hasText: /^for$/ }).first().hover();
    return hover.waitFor({ timeout: 3_000 }).then(() => true, () => false);
  };
  await until(shown, Boolean, 'the hover');
  const text = await editor.hoverText(VISIBLE_PX);
  assert.match(text, /\d× /); // the gain
  assert.match(text, /\d+ → \d+(\.\d)? cy per iteration · ≈ \d+ % of the (run|file) · confidence /);
  assert.match(text, /Explain RL\d+/);
  assert.match(text, /core: .*data: /);
  const images = hover.page().locator('.monaco-hover img');
  const sizes = await until(
    () => images.evaluateAll((found) => found.map((image) => [image.complete, image.naturalWidth])),
    (found) => found.some(([complete, width]) => complete && width > 100),
    'the plot in the hover',
  );
  assert.equal(sizes.length, 1);
  await editor.shot('hover');
  await editor.page.mouse.move(900, 700);
});

test('another machine gives other numbers', async () => {
  const was = (await hints()).map(({ label }) => label);
  await editor.palette('Rooflint: Select Machine');
  await editor.choose('skylake-sp-6148');
  const now = await until(async () => (await hints()).map(({ label }) => label),
    (labels) => labels.length === 3 && labels.join() !== was.join(), 'other numbers');
  assert.notDeepEqual(now, was);
  await editor.page.locator('.statusbar-item', { hasText: 'skylake-sp-6148' }).first().waitFor({ timeout: 10_000 });
  await editor.shot('machine');
});

test('broken syntax keeps the hints of the other loops, and mended syntax gives new ones', async () => {
  const was = await hints();
  await probe('insert', { ...FILE, line: 12, character: 4, text: '}} ((' });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  // findings that come meanwhile may change what a hint says, and not where it stands
  const places = (found) => found.filter(({ line }) => line !== 12).map(({ line, character }) => [line, character]);
  assert.deepEqual(places(await hints()), places(was));
  await editor.shot('broken');
  await editor.line('x[i] = y[i]').first().click();
  await editor.page.keyboard.press('Control+z');
  await until(hints, (found) => found.length === 3, 'hints after undo');
  await probe('insert', { ...FILE, line: 11, character: 1, text: '\n' });
  const moved = await until(hints, (found) => found.some(({ line }) => line === 13), 'the hint on its new line');
  assert.deepEqual(moved.map(({ line }) => line), [6, 13, 20]);
});

test('a code action swaps the loops, and the hint is another', async () => {
  const was = await hintAt(COLUMNS);
  // findings come after hints
  const asked = { ...FILE, line: COLUMNS, character: 8 };
  await until(() => probe('actions', asked), (titles) => titles.some((each) => /predicted/.test(each)), 'a fix with a gain');
  const swap = await editor.action('i < N; i++)', /predicted/);
  await editor.shot('actions');
  await swap.click();
  const text = await until(() => probe('text', FILE), (found) => /i < N[^]*j < N/.test(found), 'the swapped loops');
  assert.match(text, /for \(int i = 0; i < N; i\+\+\)\s+for \(int j = 0; j < N; j\+\+\)\s+a\[i\]\[j\]/);
  const now = await until(() => hintAt(COLUMNS), (hint) => hint && hint.label !== was.label, 'another hint');
  assert.notEqual(now.label, was.label);
  await until(findings, (found) => !found.some(({ code }) => code === 'RL101'), 'no RL101 any more');
  await editor.shot('fixed');
});

test('the light bulb lists at most eight entries', async () => {
  await editor.action('i < N; i++)', /^Explain/);
  const rows = await editor.page.locator('.action-widget .monaco-list-row.action').allInnerTexts();
  assert.ok(rows.length >= 3 && rows.length <= 8, rows.join('\n'));
  await editor.page.keyboard.press('Escape');
});

test('a size is set by the prompt of its action', async () => {
  await (await editor.action('i < n; i++)', /size n/i)).click();
  const input = editor.page.locator('.quick-input-widget input');
  await input.waitFor();
  await input.fill('4096');
  await editor.page.keyboard.press('Enter');
  const text = await until(() => probe('text', FILE), (found) => found.includes('n=4096'), 'the comment');
  assert.match(text, /\/\/ rooflint: n=4096\n+void triad/);
});

test('the report opens beside the source', async () => {
  await editor.line('a[i][j]').first().click();
  await editor.palette('Rooflint: Show Report of the Function');
  const heading = await until(async () => {
    for (const frame of editor.page.frames()) {
      const found = await frame.locator('h1').allInnerTexts().catch(() => []);
      if (found.length) return found[0];
    }
    return '';
  }, Boolean, 'the report');
  assert.match(heading, /\S/);
  await editor.page.waitForTimeout(1_000);
  await editor.shot('report');
  const texts = await Promise.all(editor.page.frames().map((frame) => frame.locator('body').innerText().catch(() => '')));
  assert.doesNotMatch(texts.join(), /no loop has a size/); // n is a size of the other functions
  await probe('run', { command: 'workbench.action.closeEditorsInOtherGroups' });
});

test('one lens sums up the file, and functions have theirs when asked for', async () => {
  const file = await probe('text', FILE).catch(() => '');
  assert.notEqual(file, '');
  const [summary] = await probe('lenses', FILE);
  assert.match(summary, /^Rooflint: 3 loops, /);
  await editor.page.locator('.codelens-decoration', { hasText: /Rooflint:\s3\sloops/ }).first().waitFor();
  await probe('set', { name: 'rooflint.codeLens', value: 'functions' });
  const titles = await until(() => probe('lenses', FILE), (found) => found.length === 4, 'four lenses');
  assert.ok(titles.every((title) => /loop/.test(title)), titles.join());
  await editor.shot('lenses');
});

test('a larger file shows what matters: a few hints, a summary, a ranked list', async () => {
  await probe('set', { name: 'rooflint.hints', value: 'problems' });
  await probe('set', { name: 'rooflint.codeLens', value: 'summary' });
  await editor.openFile('solver.c');
  const solver = { path: '/solver.c' };
  const wanted = (found) => found.filter(({ label }) => /\d×/.test(label)).length >= 3;
  const told = await until(() => probe('hints', solver), wanted, 'hints with gains', 120_000);
  const lens = editor.page.locator('.codelens-decoration', { hasText: /Rooflint: 17 loops, \d+ worth a change/ });
  await lens.first().waitFor();
  assert.ok(told.length <= 17 / 4, JSON.stringify(told));
  const hot = told[0];
  assert.ok(told.every(({ label }) => label.length <= LONGEST && /^~?[^~]*$/.test(label)));
  await probe('reveal', { ...solver, line: hot.line });
  const texts = await until(async () => (await editor.visibleHints()).lines, (lines) =>
    lines.some((line) => line.includes(hot.label)), 'the hint on screen');
  assert.ok(texts.find((line) => line.includes(hot.label)).startsWith('for ('));
  await editor.page.locator('.statusbar-item', { hasText: /Rooflint: \d of 17/ }).first().waitFor();
  await editor.palette('Explorer: Focus on Hot Loops View');
  const rows = editor.page.locator('.pane', { hasText: 'Hot Loops' }).locator('.monaco-list-row');
  await rows.first().waitFor();
  const listed = await rows.allInnerTexts();
  const shares = listed.map((text) => Number(/(\d+) %/.exec(text.replaceAll('\u00a0', ' '))?.[1] ?? 0));
  assert.deepEqual(shares, [...shares].sort((one, other) => other - one));
  assert.match(listed[0].replaceAll('\u00a0', ' '), /% of the (run|file) .*line \d+/s);
  await rows.first().click();
  const hover = () => editor.hoverText(VISIBLE_PX);
  for (const theme of ['Dark', 'Light']) {
    await probe('set', { name: 'workbench.colorTheme', value: `Default ${theme} Modern` });
    await editor.page.waitForTimeout(1_500);
    await probe('run', { command: 'editor.action.showHover' });
    const seen = await until(hover, (text) => /cy per iteration/.test(text), 'the hover of the hottest loop');
    assert.match(seen, /% of the (run|file)/);
    await editor.shot(`solver-hover-${theme}`);
    await editor.page.locator('.monaco-hover img').first().scrollIntoViewIfNeeded();
    await editor.shot(`solver-plot-${theme}`);
  }
});

test('the server starts again when told to', async () => {
  await editor.openFile('kernels.c');
  await editor.palette('Rooflint: Restart Server');
  await until(hints, (found) => found.length === 1, 'hints of the new server', 60_000);
});

test('a step of the open walkthrough ticks itself', async () => {
  await editor.palette('Welcome: Open Walkthrough...');
  await editor.choose('Start with Rooflint');
  const steps = editor.page.locator('.gettingStartedContainer .getting-started-step');
  const done = () => steps.evaluateAll((all) => all.map((each) => each.querySelector('.complete') !== null));
  await until(done, (each) => each.length === 4, 'four steps');
  await probe('set', { name: 'rooflint.machine', value: 'zen3-7763' });
  await until(done, ([, machine]) => machine, 'a tick at the machine');
  await editor.shot('walkthrough');
  await probe('set', { name: 'rooflint.machine' });
});

test('nobody was told of anything wrong', async () => {
  const told = await editor.page.locator('.notification-list-item-message').allInnerTexts();
  assert.deepEqual(told.filter((text) => /rooflint/i.test(text)), []);
});

test('nothing was asked of any other host but the gallery of extensions', () => {
  assert.ok(editor.asked.size <= 1, [...editor.asked].join());
});
