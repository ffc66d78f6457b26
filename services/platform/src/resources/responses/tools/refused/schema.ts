// Tools of the hosted service that this one does not have, and what to do instead.
import { noCustomTools } from '../../../../conventions/refused/schema.ts'

const noWebSearch =
  "this server does not search the web. Declare a function ('type': 'function') that searches and give back what it finds, or search your own files with 'file_search'."
const noComputer =
  "no model of this server operates a computer. Declare functions ('type': 'function') for what it is to do."
const noShell =
  "this server runs no shell commands. Declare a function ('type': 'function') that runs them where you want them run, or use 'code_interpreter' for Python."

export const refusedTools: Readonly<Record<string, string>> = {
  web_search: noWebSearch,
  web_search_2025_08_26: noWebSearch,
  web_search_preview: noWebSearch,
  web_search_preview_2025_03_11: noWebSearch,
  computer: noComputer,
  computer_use: noComputer,
  computer_use_preview: noComputer,
  local_shell: noShell,
  shell: noShell,
  apply_patch:
    "no model of this server writes patches in this form. Declare a function ('type': 'function') that takes a patch.",
  custom: noCustomTools,
}
