// One line of what `./atoll doctor` tells.
export interface Check {
  what: string
  /** Who needs it. */
  need: string
  state: 'ok' | 'missing' | 'optional'
  /** What is there, or what to do. */
  detail: string
}
