// What is built: a project of three stages, a large context, and stages that wait.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

function write(folder: string, files: Record<string, string | Buffer>): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** Twelve steps in three stages, as small projects have them. */
export const makeProject = (parent: string): string =>
  write(join(parent, 'project'), {
    Dockerfile: [
      'FROM busybox AS base',
      'RUN mkdir -p /app /out',
      'WORKDIR /app',
      'FROM base AS dependencies',
      'COPY package.txt ./',
      'RUN for n in 1 2 3 4 5 6 7 8 9; do head -c 100000 /dev/zero > /out/$n; done',
      'RUN cat package.txt > /out/list',
      'FROM base',
      'COPY --from=dependencies /out /deps',
      'COPY . .',
      'RUN cat source.txt /deps/list > /out/program',
      'CMD ["cat", "/out/program"]',
    ].join('\n'),
    'package.txt': 'packages\n',
    'source.txt': 'source 0\n',
  })

/** As it never was before. */
export const changeProject = (folder: string): void =>
  writeFileSync(join(folder, 'source.txt'), `source ${Math.random()}\n`)

const bigFiles = 20_000
const bigFileBytes = 10_000

export function makeBigContext(parent: string): string {
  const folder = write(join(parent, 'big-context'), { Dockerfile: 'FROM busybox\nCOPY . /files/\n' })
  const bytes = Buffer.alloc(bigFileBytes, 'atoll ')
  for (let number = 0; number < bigFiles; number++) {
    const inside = join(folder, String(number % 200))
    if (number < 200) mkdirSync(inside)
    bytes.write(`${number} `)
    writeFileSync(join(inside, String(number)), bytes)
  }
  return folder
}

/** Two stages that need nothing of one another, or the second begins with the first. */
export const makeStages = (parent: string, isInTurn: boolean): string =>
  write(join(parent, isInTurn ? 'in-turn' : 'side-by-side'), {
    Dockerfile: [
      'FROM busybox AS one',
      'RUN sleep 2; echo one > /one',
      `FROM ${isInTurn ? 'one' : 'busybox'} AS two`,
      'RUN sleep 2; echo two > /two',
      'FROM scratch',
      'COPY --from=one /one /',
      'COPY --from=two /two /',
    ].join('\n'),
  })
