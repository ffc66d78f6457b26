// Times and sizes as people read them.
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export const timeText = (seconds: number | null): string => (seconds === null ? 'never' : times.format(seconds * 1000))

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
