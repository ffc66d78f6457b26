// A model's process says that it lives when it is asked. One that is stopped or stuck in native code does not, and is
// ended: those who wait for it are told, and the next call starts it anew.
export interface Ping {
  ping: true
}

export const isPing = (message: unknown): message is Ping =>
  typeof message === 'object' && message !== null && 'ping' in message

/** In the model's process, before anything else it does. */
export function answerPings(): void {
  process.on('message', (message) => {
    if (isPing(message)) process.send?.(message, undefined, undefined, () => {})
  })
}

/** Pings that go unanswered one after the other. Counted, not timed: a machine that slept has missed none. */
const maxMissed = 4

/** The result ends it; `heard` is to be called with every message. */
export function watch(everyMs: number, ping: () => void, isStuck: () => void): { heard(): void; end(): void } {
  let missed = 0
  const timer = setInterval(() => {
    if (missed++ === maxMissed) isStuck()
    else ping()
  }, everyMs).unref()
  return {
    heard: () => {
      missed = 0
    },
    end: () => clearInterval(timer),
  }
}
