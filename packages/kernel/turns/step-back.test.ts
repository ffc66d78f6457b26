import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { behind } from './step-back.ts'

const program = `
  const { stepBackTo } = await import(${JSON.stringify(new URL('./step-back.ts', import.meta.url).href)})
  const { getPriority } = await import('node:os')
  stepBackTo(5)
  const first = getPriority()
  stepBackTo(15)
  console.log(JSON.stringify([first, getPriority()]))
`

/** Of a process that was itself started behind others: only root may go before that again. */
function prioritiesAt(niceness: number): number[] {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  const behindUs = String(niceness - getPriority())
  return JSON.parse(execFileSync('nice', ['-n', behindUs, ...node], { encoding: 'utf8' }))
}

const forbidden = `
  const { default: os } = await import('node:os')
  const { syncBuiltinESMExports } = await import('node:module')
  os.setPriority = () => { throw new Error('EPERM') }
  syncBuiltinESMExports()
  const { stepBack } = await import(${JSON.stringify(new URL('./step-back.ts', import.meta.url).href)})
  stepBack()
  console.log('goes on')
`

it('goes on where it is when the system forbids to step back', () => {
  const node = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', forbidden]
  expect(execFileSync(process.execPath, node, { encoding: 'utf8' })).toBe('goes on\n')
})

it('steps back as far as is asked for, and never before where it was started', () => {
  expect(prioritiesAt(12)).toEqual([12, 15])
  expect(prioritiesAt(19)).toEqual([19, 19])
  expect(behind()).toBe(Math.min(19, getPriority() + 5))
})
