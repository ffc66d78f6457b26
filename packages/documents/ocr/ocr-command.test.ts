import { expect, it } from 'vitest'
import { argumentsFor, commandProblem } from './ocr-command.ts'

it('is cut into words at blanks, and quotes keep words together', () => {
  const command = `tesseract "{input}" - -c 'page separator'="a b" --in={input}`
  const words = ['tesseract', '/a b', '-', '-c', 'page separator=a b', '--in=/a b']
  expect(argumentsFor(command, '/a b')).toEqual(words)
  expect(argumentsFor(['sh', '$(id) {input}'], '/a b')).toEqual(['sh', '$(id) /a b'])
})

it.each([
  ['sh {input}', undefined],
  ['/bin/sh {input}', undefined],
  [['sh', '{input}'], undefined],
  ['', /names no program/],
  ['  ', /names no program/],
  [['', '{input}'], /names no program/],
  ['sh', /must have \{input\}/],
  ['{input}', /must have \{input\}/],
  ['sh "{input}', /quote that does not end/],
  ['./sh {input}', /relative path, \.\/sh/],
  ['no-such-program {input}', /no-such-program.* install it/],
  ['/nowhere/ocr {input}', /\/nowhere\/ocr/],
  ['/ {input}', /no program/],
])('%j is judged before it is ever run', (command, problem) => {
  expect(commandProblem(command) ?? '').toMatch(problem ?? /^$/)
})
