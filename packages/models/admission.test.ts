import { expect, it } from 'vitest'
import { Admission } from './admission.ts'

it('leaves others room when one caller has filled their own', () => {
  const admission = new Admission(10)
  const leave = admission.enter('greedy', 9)
  expect(admission.enter('greedy', 2)).toBeUndefined()
  expect(admission.enter('modest', 10)).toBeDefined()
  expect(admission.enter('third', 2)).toBeUndefined()
  leave?.()
  leave?.()
  expect(admission.total).toBe(10)
  expect(admission.enter('greedy', 10)).toBeDefined()
})
