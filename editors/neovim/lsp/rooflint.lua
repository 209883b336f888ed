-- Neovim 0.11 finds this file as lsp/rooflint.lua on 'runtimepath'; vim.lsp.enable('rooflint') starts it.
local AS_CONFIGURED = 'as configured'
local CORES = { AS_CONFIGURED, '1', 'socket', 'node' }

--- Runs a command of the server; `use` gets its answer.
local function ask(client, buffer, name, argument, use)
  local command = { command = 'rooflint.server.' .. name, arguments = { argument } }
  client:request('workspace/executeCommand', command, function(problem, answer)
    if problem then return vim.notify('Rooflint: ' .. problem.message, vim.log.levels.ERROR) end
    if use then use(answer) end
  end, buffer)
end

--- Sets what predictions are for, for this session: `given`, or what the user chooses of `items`.
local function choose(client, buffer, name, key, given, items)
  local function set(choice)
    if not choice then return end
    ask(client, buffer, name, { [key] = choice == AS_CONFIGURED and vim.NIL or choice })
  end
  if given ~= '' then return set(given) end
  vim.ui.select(items, { prompt = 'Predict for' }, set)
end

---@type vim.lsp.Config
return {
  cmd = { 'rooflint', 'lsp' },
  filetypes = { 'c', 'cpp', 'cuda' },
  root_markers = { 'rooflint.toml', '.rooflint.toml', 'compile_commands.json', '.git' },
  on_attach = function(client, buffer)
    -- runs code of the workspace: the server asks before the first time
    vim.api.nvim_buf_create_user_command(buffer, 'RooflintMeasure', function()
      local place = {
        uri = vim.uri_from_bufnr(buffer),
        line = vim.api.nvim_win_get_cursor(0)[1] - 1,
        trusted = true,
      }
      ask(client, buffer, 'measure', place)
    end, { desc = 'Measure the function at the cursor; agreeing is trusting the workspace' })
    vim.api.nvim_buf_create_user_command(buffer, 'RooflintHotLoops', function()
      ask(client, buffer, 'hotLoops', { uri = vim.uri_from_bufnr(buffer) }, function(answer)
        local items = vim.tbl_map(function(each)
          local text = each.shareText .. ': ' .. each.hint .. ' (' .. each['function'] .. ')'
          return { bufnr = buffer, lnum = each.line + 1, col = each.character + 1, text = text }
        end, answer.loops)
        vim.fn.setloclist(0, {}, ' ', { title = 'Rooflint: ' .. answer.title, items = items })
        vim.cmd.lopen()
      end)
    end, { desc = 'List the loops by their share of the time' })
    vim.api.nvim_buf_create_user_command(buffer, 'RooflintMachine', function(given)
      ask(client, buffer, 'machines', vim.empty_dict(), function(answer)
        local names = vim.tbl_map(function(each) return each.name end, answer.machines)
        table.insert(names, 1, AS_CONFIGURED)
        choose(client, buffer, 'selectMachine', 'machine', given.args, names)
      end)
    end, { nargs = '?', desc = 'Choose the machine that predictions are for' })
    vim.api.nvim_buf_create_user_command(buffer, 'RooflintCores', function(given)
      choose(client, buffer, 'selectCores', 'cores', given.args, CORES)
    end, { nargs = '?', desc = 'Choose the number of cores that predictions are for' })
  end,
  settings = {
    rooflint = {
      hints = 'problems', -- 'all', 'off'
      -- machine = 'skylake-sp-6148',
      -- sizes = { N = 4096 },
    },
  },
}
