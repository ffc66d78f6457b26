import { describe, expect, it } from 'vitest'
import { conflict, systemError } from '../../errors.ts'
import type { ContainerRecord } from './record.ts'
import { describeStartFailure } from './start-failure.ts'

const describeFailure = (path: string, words: string) => {
  const { answer, exitCode } = describeStartFailure({ path } as ContainerRecord, systemError(words))
  return { words: answer.message.replace(/^.*unable to start container process: /, ''), exitCode }
}

describe('a start that failed', () => {
  it.each([
    // What crun and runc say, and what clients know.
    [
      'x',
      'executable file `x` not found in $PATH: No such file or directory',
      127,
      'exec: "x": executable file not found in $PATH: unknown',
    ],
    [
      'x',
      'OCI runtime create failed: exec: "x": executable file not found in $PATH: unknown',
      127,
      'exec: "x": executable file not found in $PATH: unknown',
    ],
    [
      '/a/x',
      'executable file `/a/x` not found in $PATH: No such file or directory',
      127,
      'exec: "/a/x": stat /a/x: no such file or directory: unknown',
    ],
    [
      '/a/x',
      'exec: "/a/x": stat /a/x: no such file or directory',
      127,
      'exec: "/a/x": stat /a/x: no such file or directory: unknown',
    ],
    ['/etc', 'open executable: Operation not permitted', 126, 'exec: "/etc": permission denied: unknown'],
    ['/etc', 'exec: "/etc": permission denied', 126, 'exec: "/etc": permission denied: unknown'],
    ['/x', 'exec container process `/x`: Exec format error', 126, 'exec: "/x": exec format error: unknown'],
    ['x', 'mount /dev/zero: something else', 128, 'mount /dev/zero: something else'],
  ])('%s: %s', (path, words, exitCode, told) => {
    expect(describeFailure(path, words)).toEqual({ words: told, exitCode })
  })

  it('keeps the status of an error that says what is wrong', () => {
    const error = conflict('the port is taken')
    expect(describeStartFailure({ path: 'x' } as ContainerRecord, error)).toEqual({ answer: error, exitCode: 128 })
  })
})
