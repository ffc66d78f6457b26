// Tells clients that poll when to look again: without it they wait five seconds between two looks.
const pollAfterMs = 250

type SetHeader = (name: string, value: string) => void

export const tellPollInterval = (setHeader: SetHeader): void => setHeader('openai-poll-after-ms', String(pollAfterMs))
