/** A real VS Code workbench in headless Chromium, and the probe inside its extension host. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { TOOLS, WORKSPACE, PORT, ROOFLINT_PROBE_PORT, SCREENSHOTS } = process.env;
const { chromium } = createRequire(join(TOOLS, 'package.json'))('playwright-core');
const LOOPBACK = new Set(['127.0.0.1', 'localhost']);

export class Editor {
  /** Opens `file` of the workspace. */
  static async open(file) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'chromium-')), {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      viewport: { width: 1280, height: 800 },
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const editor = new Editor();
    editor.context = context;
    editor.asked = new Set();
    await context.route('**/*', (route) => {
      const url = new URL(route.request().url());
      if (LOOPBACK.has(url.hostname) || ['data:', 'blob:'].includes(url.protocol)) return route.continue();
      editor.asked.add(url.origin);
      return route.abort();
    });
    editor.page = context.pages()[0] ?? (await context.newPage());
    const payload = [['openFile', `vscode-remote://127.0.0.1:${PORT}${WORKSPACE}/${file}`]];
    await editor.page.goto(
      `http://127.0.0.1:${PORT}/?folder=${WORKSPACE}&payload=${encodeURIComponent(JSON.stringify(payload))}`,
    );
    await editor.page.waitForSelector('.monaco-editor .view-line', { timeout: 90_000 });
    return editor;
  }

  close() {
    return this.context.close();
  }

  shot(name) {
    return this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  /** The rendered line that has `text`, with its hint. */
  line(text) {
    const exactly = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s'));
    return this.page.locator('.view-line', { hasText: exactly });
  }

  async lineText(text, nth = 0) {
    const found = await this.line(text).nth(nth).innerText();
    return found.replaceAll('\u00a0', ' ');
  }

  /** The text of the hover that is open, as far as its first `height` pixels show it. */
  hoverText(height) {
    return this.page.locator('.monaco-hover:visible').first().evaluate((hover, most) => {
      const { top } = hover.getBoundingClientRect();
      const walker = document.createTreeWalker(hover, NodeFilter.SHOW_TEXT);
      const shown = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        if (box.height > 0 && box.bottom <= top + most) shown.push(node.textContent.trim());
      }
      return shown.join(' ').replace(/\s+/g, ' ');
    }, height);
  }

  /** The texts of the hints on screen, and the lines of code they stand on. */
  async visibleHints() {
    const texts = await this.page.locator('.view-line').allInnerTexts();
    const hints = await this.page.locator('.view-line [class*="dyn-rule"], .view-line [class*="inlayHint"]').allInnerTexts();
    const tidy = (text) => text.replaceAll('\u00a0', ' ').trim();
    return { lines: texts.map(tidy), hints: hints.map(tidy).filter(Boolean) };
  }

  /** Opens a file of the workspace by its name. */
  async openFile(name) {
    await this.page.keyboard.press('Control+p');
    await this.choose(name);
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
  }

  /** Runs a command of the palette by its title. */
  async palette(title) {
    const input = this.page.locator('.quick-input-widget input');
    const open = async () => {
      await this.page.keyboard.press('F1');
      return input.waitFor({ timeout: 3_000 }).then(() => true, () => false);
    };
    await until(open, Boolean, 'the palette');
    await input.fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** The entry of the light bulb's list on the line of `text` whose title matches. */
  async action(text, title) {
    const entry = this.page.locator('.action-widget .monaco-list-row', { hasText: title }).first();
    const listed = async () => {
      // what is asked for while the file is analysed may not be in the first list
      await this.page.keyboard.press('Escape');
      await this.line(text).first().click();
      await this.page.keyboard.press('Control+.');
      return entry.waitFor({ timeout: 3_000 }).then(() => true, () => false);
    };
    await until(listed, Boolean, `the action ${title}`);
    return entry;
  }

  /** Chooses the entry of an open list that has `text`. */
  async choose(text) {
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(text);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
  }
}

/** What VS Code's own interface says; see probe/main.cjs. */
export async function probe(call, asked = {}) {
  const response = await fetch(`http://127.0.0.1:${ROOFLINT_PROBE_PORT}/`, {
    method: 'POST',
    body: JSON.stringify({ call, ...asked }),
  });
  const { answer, error } = await response.json();
  if (error) throw new Error(error);
  return answer;
}

/** Waits until `value` gives what `good` accepts, and returns that. */
export async function until(value, good, what, milliseconds = 30_000) {
  const end = Date.now() + milliseconds;
  let last;
  while (Date.now() < end) {
    try {
      last = await value();
      if (good(last)) return last;
    } catch (error) {
      last = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(last)}`);
}
