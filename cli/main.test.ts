import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './places.ts'

it('ends without a word where nobody reads what it says', () => {
  const pipe = `{ ${join(root, 'atoll')} --help; echo "code $?" >&2; } 2>&1 >&3 3>&- | cat`
  const toNobody = `{ ${pipe}; } 3>&1 >&4 | true`
  expect(execFileSync('sh', ['-c', `{ ${toNobody}; } 4>&1`], { encoding: 'utf8' })).toBe('code 141\n')
})
