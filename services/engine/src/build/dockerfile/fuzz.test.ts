// Dockerfiles that nobody would write: never a crash, always a line.
import { describe, expect, it } from 'vitest'
import { DockerfileProblem } from './problem.ts'
import { readDockerfile } from './read-dockerfile.ts'

const cases = process.env.ATOLL_TEST_LONG === '1' ? 20_000 : 1_000
const pieces = [
  ...['FROM', 'RUN', 'COPY', 'ADD', 'ENV', 'ARG', 'LABEL', 'ONBUILD', 'HEALTHCHECK', 'SHELL', 'CMD', 'EXPOSE', 'USER'],
  ...['VOLUME', 'WORKDIR', 'STOPSIGNAL', 'ENTRYPOINT', 'MAINTAINER', 'scratch', 'AS', '--from=', '--mount=type=cache,'],
  ...[
    '--chown=1',
    '--',
    '--network=none',
    '<<EOF',
    '<<-"E"',
    'EOF',
    '\nEOF\n',
    '$a',
    '${a:-',
    '${a##*',
    '${a/b/c}',
    '}',
  ],
  ...[
    '"',
    "'",
    '\\',
    '\\\n',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '#',
    '# escape=`\n',
    '`',
    '[',
    ']',
    '["a"]',
    '{',
    '=',
    'a=b',
    ':',
  ],
  ...['\0', 'é', '\u{1F600}', '\uD800', '\uFEFF', '1', '*', '../..', '/', '!', '0', '__proto__', 'constructor', 'NONE'],
]

/** The same every time: a case that fails can be looked at again. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function strange(seed: number): string {
  const pick = numbers(seed)
  const begin = pick(4) === 0 ? '' : 'FROM scratch\n'
  return (
    begin + Array.from({ length: pick(40) }, () => (pieces[pick(pieces.length)] ?? '') + (pick(3) ? ' ' : '')).join('')
  )
}

describe('strange Dockerfiles', () => {
  it(
    `are read or refused with a line that they have: ${cases} of them`,
    () => {
      let refused = 0
      for (let seed = 1; seed <= cases; seed++) {
        const text = strange(seed)
        try {
          expect(readDockerfile(text).stages.length, `seed ${seed}`).toBeGreaterThan(0)
        } catch (error) {
          if (!(error instanceof DockerfileProblem))
            throw new Error(`seed ${seed}: ${JSON.stringify(text)}`, { cause: error })
          expect(error.line, `seed ${seed}`).toBeGreaterThan(0)
          expect(error.line, `seed ${seed}`).toBeLessThanOrEqual(text.split('\n').length)
          refused += 1
        }
      }
      expect(refused).toBeGreaterThan(cases / 10)
      expect(refused).toBeLessThan(cases)
    },
    120_000 + cases * 50,
  )

  it('of a megabyte are read in time', () => {
    const mega = 1024 * 1024
    for (const unit of ['\\ ', '# ', '"', '$', '${a:-', ' ', '\\\n', '<<a ', ',', 'a\n']) {
      const text = `FROM scratch\nRUN ${unit.repeat(mega / unit.length)}`
      try {
        readDockerfile(text)
      } catch (error) {
        expect(error).toBeInstanceOf(DockerfileProblem)
      }
    }
  }, 30_000)
})
