// What `./atoll bench scale` measures and how much of it: by variables, as other benchmarks have theirs.
//   BENCH_ONLY=nodes,bucket  BENCH_LONG=1  BENCH_BUCKET_MB=2048  BENCH_CHUNKS=20000  BENCH_OBJECTS=1000  BENCH_OBJECT_KB=16

const parts = ['nodes', 'failover', 'bucket', 'vectors', 'backup'] as const
type Part = (typeof parts)[number]

/** A part that needs machines. */
export type IsolatedPart = { part: 'nodes' } | { part: 'failover'; isSingle: boolean }

/** All of them, or those of BENCH_ONLY. */
export function chosenParts(): readonly Part[] {
  const { BENCH_ONLY: only } = process.env
  if (only === undefined) return parts
  const names = only.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !parts.some((part) => part === name))
  if (unknown.length > 0) throw new Error(`This benchmark needs BENCH_ONLY to be of ${parts.join(', ')}.`)
  return parts.filter((part) => names.includes(part))
}

/** With BENCH_LONG=1 as large as the goals speak of. */
const isLong = process.env.BENCH_LONG === '1'

export const sizes = {
  bucketMb: sizeOf('BENCH_BUCKET_MB', isLong ? 10_240 : 1_024),
  chunks: sizeOf('BENCH_CHUNKS', isLong ? 1_000_000 : 100_000),
  objects: sizeOf('BENCH_OBJECTS', isLong ? 100_000 : 3_000),
  objectKb: sizeOf('BENCH_OBJECT_KB', isLong ? 100 : 16),
}

function sizeOf(name: string, usual: number): number {
  const { [name]: text } = process.env
  if (text === undefined) return usual
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`This benchmark needs ${name} to be a whole number, not ${text}.`)
  return Number(text)
}
