-- Neovim 0.11 finds this file as lsp/rooflint.lua on 'runtimepath'; vim.lsp.enable('rooflint') starts it.
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
      local command = { command = 'rooflint.server.measure', arguments = { place } }
      client:request('workspace/executeCommand', command, function(problem)
        if problem then vim.notify('Rooflint: ' .. problem.message, vim.log.levels.ERROR) end
      end, buffer)
    end, { desc = 'Measure the function at the cursor; agreeing is trusting the workspace' })
    vim.api.nvim_buf_create_user_command(buffer, 'RooflintHotLoops', function()
      local asked = { uri = vim.uri_from_bufnr(buffer) }
      local command = { command = 'rooflint.server.hotLoops', arguments = { asked } }
      client:request('workspace/executeCommand', command, function(problem, answer)
        if problem then return vim.notify('Rooflint: ' .. problem.message, vim.log.levels.ERROR) end
        local items = vim.tbl_map(function(each)
          local text = each.shareText .. ': ' .. each.hint .. ' (' .. each['function'] .. ')'
          return { bufnr = buffer, lnum = each.line + 1, col = each.character + 1, text = text }
        end, answer.loops)
        vim.fn.setloclist(0, {}, ' ', { title = 'Rooflint: ' .. answer.title, items = items })
        vim.cmd.lopen()
      end, buffer)
    end, { desc = 'List the loops by their share of the time' })
  end,
  settings = {
    rooflint = {
      hints = 'problems', -- 'all', 'off'
      -- machine = 'skylake-sp-6148',
      -- sizes = { N = 4096 },
    },
  },
}
