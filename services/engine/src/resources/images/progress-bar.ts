// One line of progress, with the bar that terminals show.
import type { ProgressMessage } from '../../images/image-registry.ts'

const width = 50
const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function progressOf(status: string, id: string, current: number, total: number): ProgressMessage {
  const done = total === 0 ? width : Math.floor((current / total) * width)
  const bar = `${'='.repeat(Math.max(done - 1, 0))}>${' '.repeat(width - Math.max(done, 1))}`
  return {
    status,
    id,
    progressDetail: { current, total },
    progress: `[${bar}]  ${readable(current)}/${readable(total)}`,
  }
}

function readable(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${Number((bytes / 1_000 ** step).toPrecision(4))}${units[step]}`
}
