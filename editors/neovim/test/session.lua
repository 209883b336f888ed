-- nvim --clean --headless -l session.lua FILE: a session with the configuration of this folder.
local here = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))))
vim.opt.runtimepath:prepend(here)

local function wait(what, good, ms)
  local found
  local done = vim.wait(ms or 90000, function() found = good(); return found and true or false end, 50)
  if not done then error('waited in vain for ' .. what) end
  io.stdout:write('ok ' .. what .. '\n')
  return found
end

vim.lsp.config('rooflint', {
  cmd = { assert(vim.env.ROOFLINT_PYTHON, 'ROOFLINT_PYTHON is not set'), '-m', 'rooflint', 'lsp' },
  settings = { rooflint = { hints = 'all' } },
})
vim.lsp.enable('rooflint')
assert(arg[1], 'no FILE')
vim.cmd.edit(arg[1])
vim.bo.filetype = 'c'

local client = wait('the client', function()
  local found = vim.lsp.get_clients({ bufnr = 0, name = 'rooflint' })[1]
  return found and found.initialized and found
end)
vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
vim.cmd.redraw()

local function hints()
  local found = {}
  for _, each in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
    local label = each.inlay_hint.label
    found[each.inlay_hint.position.line + 1] = type(label) == 'string' and label or label[1].value
  end
  return found
end

local first = wait('a hint on each innermost loop', function()
  local found = hints()
  return vim.tbl_count(found) == 3 and found
end)
for line, label in pairs(first) do
  assert(vim.fn.strchars(label) <= 40, label)
  assert(vim.fn.getline(line):match('for'), 'line ' .. line .. ' is no loop')
end

vim.cmd('redraw!')
wait('hints in the buffer', function()
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('inlay') then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        if mark[4].virt_text then return true end
      end
    end
  end
end)

local finding = wait('RL101 as a diagnostic', function()
  for _, each in ipairs(vim.diagnostic.get(0)) do
    if each.code == 'RL101' then return each end
  end
end)
assert(finding.severity == vim.diagnostic.severity.INFO, 'severity ' .. finding.severity)

local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params(0)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  for _, each in pairs(answers) do
    assert(not each.err, vim.inspect(each.err))
    return each.result
  end
end

vim.cmd('RooflintHotLoops')
local listed = wait('the list of hot loops', function()
  local found = vim.fn.getloclist(0)
  return #found == 3 and found
end)
assert(listed[1].text:find('%% of the'), listed[1].text)
vim.cmd('lclose')

local header = { line = 6, character = 8 }
local hover = ask('textDocument/hover', { position = header })
assert(hover.contents.value:find('cy per iteration'), vim.inspect(hover))
assert(not hover.contents.value:find('base64'), 'a picture that nobody asked for')
io.stdout:write('ok hover\n')

local function hover_has(text)
  return function()
    local found = ask('textDocument/hover', { position = header })
    return found and found.contents.value:find(text, 1, true)
  end
end
vim.cmd('RooflintMachine zen4-9654')
wait('the machine that was chosen', hover_has('zen4-9654'))
vim.ui.select = function(items, _, use) use(items[3]) end
vim.cmd('RooflintCores')
vim.cmd('RooflintMachine as configured')
wait('the machine as configured', hover_has('generic-avx2'))
vim.cmd('RooflintCores as configured')

local actions = ask('textDocument/codeAction', {
  range = { start = header, ['end'] = header },
  context = { diagnostics = {} },
})
local swap
for _, each in ipairs(actions or {}) do
  if each.edit and each.title:find('predicted') then swap = each end
end
assert(swap, 'no fix with a gain: ' .. vim.inspect(vim.tbl_map(function(a) return a.title end, actions or {})))
vim.lsp.util.apply_workspace_edit(swap.edit, client.offset_encoding)
assert(vim.fn.getline(6):match('int i = 0'), vim.fn.getline(6))
io.stdout:write('ok the loops are swapped\n')
wait('another hint', function()
  local label = hints()[7]
  return label and label ~= first[7]
end)
wait('no RL101 any more', function()
  for _, each in ipairs(vim.diagnostic.get(0)) do
    if each.code == 'RL101' then return false end
  end
  return true
end)

client:stop()
wait('the end of the server', function() return client:is_stopped() end, 5000)
io.stdout:write('1 passed, 0 failed\n')
vim.cmd('qall!')
