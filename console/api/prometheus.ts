// Reads the figures of /metrics: names, labels, values. Of lines it does not understand it takes no notice.

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const line = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)/i
const label = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"/gi

export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((row) => {
    const found = line.exec(row)
    if (found === null) return []
    const [, name = '', labels = '', value = ''] = found
    return [{ name, labels: readLabels(labels), value: Number(value) }]
  })
}

const readLabels = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from(text.matchAll(label), ([, name = '', value = '']) => [name, value]))

/** The sum of all samples of a name whose labels pass. */
export const sumOf = (samples: Sample[], name: string, isMeant: (labels: Sample['labels']) => boolean): number =>
  samples.filter((one) => one.name === name && isMeant(one.labels)).reduce((sum, { value }) => sum + value, 0)
