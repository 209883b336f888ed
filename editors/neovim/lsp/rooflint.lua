-- Neovim 0.11 finds this file as lsp/rooflint.lua on 'runtimepath'; vim.lsp.enable('rooflint') starts it.
---@type vim.lsp.Config
return {
  cmd = { 'rooflint', 'lsp' },
  filetypes = { 'c', 'cpp', 'cuda' },
  root_markers = { 'rooflint.toml', '.rooflint.toml', 'compile_commands.json', '.git' },
  settings = {
    rooflint = {
      hints = 'problems', -- 'all', 'off'
      -- machine = 'skylake-sp-6148',
      -- sizes = { N = 4096 },
    },
  },
}
