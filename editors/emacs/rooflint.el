;;; rooflint.el --- Rooflint's language server for eglot  -*- lexical-binding: t; -*-
;;; Commentary:
;; (require 'rooflint), then M-x eglot in a C or C++ buffer.
;;; Code:
(require 'eglot)

(defvar rooflint-command '("rooflint" "lsp")
  "How the server is started.")

(defvar rooflint-settings '(:hints "problems")
  "Settings of the section `rooflint', as a property list.")

(add-to-list 'eglot-server-programs `((c-mode c++-mode c-ts-mode c++-ts-mode) . ,rooflint-command))
(setq-default eglot-workspace-configuration `(:rooflint ,rooflint-settings))

(provide 'rooflint)
;;; rooflint.el ends here
