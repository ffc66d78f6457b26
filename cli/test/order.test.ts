import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../places.ts'
import { longestFiles } from './order.ts'

it('the tests that are run first are there', () => {
  expect(longestFiles.filter((file) => !existsSync(join(root, file)))).toEqual([])
})
