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
  end,
  settings = {
    rooflint = {
      hints = 'problems', -- 'all', 'off'
      -- machine = 'skylake-sp-6148',
      -- sizes = { N = 4096 },
    },
  },
}
