import { expect, it } from 'vitest'
import { inOwnIds } from './own-ids.ts'
import type { FineTuningJobRow } from './store.ts'

const row = {
  ...{ id: 'ftjob-own-12345678', model: 'far', organization_id: 'org-Inn', suffix: 'yes' },
  ...{ training_file: 'file-own', validation_file: 'file-own-too' },
} as FineTuningJobRow
const theirs = { model: 'small', training_file: 'file-theirs', validation_file: 'file-more', job: 'ftjob-theirs' }

it.each([
  ['The job ftjob-theirs cannot read file-theirs.', 'The job ftjob-own-12345678 cannot read file-own.'],
  ['file-more has no examples', 'file-own-too has no examples'],
  ["The model 'small' does not exist; model small is small.", "The model 'far' does not exist; model far is small."],
  ['The model small-2 is another.', 'The model small-2 is another.'],
  ['The model small.1 is one more; not so the model small.', 'The model small.1 is one more; not so the model far.'],
  ['Checked ft:small:acme:yes:abc.', 'Checked ft:far:inn:yes:12345678.'],
  ['Kept ft:small:acme::abc:ckpt-step-88', 'Kept ft:far:inn:yes:12345678:ckpt-step-88'],
])('tells %j with the ids of this server', (told, own) => {
  expect(inOwnIds(told, row, theirs)).toBe(own)
})
