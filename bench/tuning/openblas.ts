// The same product by OpenBLAS, through numpy where this machine has one that stands on it.
import { execFileSync } from 'node:child_process'

export interface ProductShape {
  rows: number
  columns: number
  inner: number
}

/** Of one core: the second operand lies by columns, as weights do. */
const program = ({ rows, columns, inner }: ProductShape, rounds: number): string => `
import time, numpy
if 'openblas' not in open('/proc/self/maps').read().lower(): raise SystemExit('numpy stands on another library')
a = numpy.random.rand(${rows}, ${inner}).astype('f')
b = numpy.random.rand(${columns}, ${inner}).astype('f')
c = numpy.empty((${rows}, ${columns}), 'f')
for at in range(3): numpy.matmul(a, b.T, out=c)
took = []
for at in range(${rounds}):
    since = time.process_time()
    numpy.matmul(a, b.T, out=c)
    took.append(time.process_time() - since)
print(${2 * rows * columns * inner} / sorted(took)[${Math.floor(rounds / 2)}] / 1e9)
`

/** GFLOP/s of one core, or why there is no figure. */
export function openblasRate(shape: ProductShape): number | string {
  try {
    const env = { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' }
    const answer = execFileSync('python3', ['-c', program(shape, 15)], { encoding: 'utf8', stdio: 'pipe', env })
    return Number(answer)
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    const reason = (stderr ?? '').trim().split('\n').at(-1) || message.split('\n')[0]
    return `not compared with OpenBLAS (Debian: python3-numpy and libopenblas0-pthread): ${reason}`
  }
}
