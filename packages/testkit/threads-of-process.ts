// Threads of this process, by the names they were started with (the first 15 letters).
import { readdirSync, readFileSync } from 'node:fs'

const niceField = 16

/** Their niceness: 0 is usual, more lets others go first. */
export function nicenessOf(name: string): number[] {
  return readdirSync('/proc/self/task').flatMap((thread) => {
    const [, called = '', fields = ''] = /\((.*)\) (.*)/.exec(statOf(thread)) ?? []
    return called === name.slice(0, 15) ? [Number(fields.split(' ')[niceField])] : []
  })
}

function statOf(thread: string): string {
  try {
    return readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
