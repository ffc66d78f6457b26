/** What `runner.py` offers. */
export interface Runner {
  start(version: string, available: string): void
  run(code: string): void
  imports_of(code: string): string
  wheel_names(path: string): string
  show_bridge(): void
  hide_bridge(): void
}
