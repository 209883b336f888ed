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

;;;###autoload
(defun rooflint-measure ()
  "Measure the function at point.
This builds and runs code of the workspace, confined: use it where you trust
that code.  The server shows what runs, and asks, before the first time."
  (interactive)
  (let ((place (list :uri (plist-get (eglot--TextDocumentIdentifier) :uri)
                     :line (1- (line-number-at-pos nil t))
                     :trusted t)))
    (jsonrpc-async-request
     (eglot--current-server-or-lose) :workspace/executeCommand
     (list :command "rooflint.server.measure" :arguments (vector place))
     :timeout nil
     :success-fn #'ignore
     :error-fn (lambda (problem) (message "Rooflint: %s" (plist-get problem :message))))))

;;;###autoload
(defun rooflint-hot-loops ()
  "List the loops of the buffer by their share of the time, with their hints."
  (interactive)
  (let* ((file (buffer-file-name))
         (uri (plist-get (eglot--TextDocumentIdentifier) :uri))
         (answer (rooflint--command "hotLoops" (list :uri uri))))
    (with-current-buffer (get-buffer-create "*rooflint hot loops*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert "Rooflint: " (plist-get answer :title) "\n\n")
        (mapc (lambda (each)
                (insert (format "%s:%d:%d: %s: %s (%s)\n" file
                                (1+ (plist-get each :line)) (1+ (plist-get each :character))
                                (plist-get each :shareText) (plist-get each :hint)
                                (plist-get each :function))))
              (plist-get answer :loops)))
      (grep-mode)
      (goto-char (point-min))
      (display-buffer (current-buffer)))))

(defconst rooflint--as-configured "as configured")

(defun rooflint--command (name argument)
  "The answer of the server to its command NAME with ARGUMENT."
  (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                   (list :command (concat "rooflint.server." name) :arguments (vector argument))))

(defun rooflint--choice (word)
  "WORD as the server gets it: null for what is configured."
  (unless (equal word rooflint--as-configured) word))

;;;###autoload
(defun rooflint-select-machine (name)
  "Predict for the machine called NAME in this session."
  (interactive
   (let ((machines (plist-get (rooflint--command "machines" (make-hash-table)) :machines)))
     (list (completing-read "Machine: "
                            (cons rooflint--as-configured
                                  (mapcar (lambda (each) (plist-get each :name)) machines))))))
  (rooflint--command "selectMachine" (list :machine (rooflint--choice name))))

;;;###autoload
(defun rooflint-select-cores (cores)
  "Predict for CORES in this session: a number, \"socket\" or \"node\"."
  (interactive
   (list (completing-read "Cores: " (list rooflint--as-configured "1" "socket" "node"))))
  (rooflint--command "selectCores" (list :cores (rooflint--choice cores))))

(provide 'rooflint)
;;; rooflint.el ends here
