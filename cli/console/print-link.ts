// Asks the Atoll that runs on a data folder for a link to log in with.
import { CommandProblem, telling } from '../command-problem.ts'
import { loadAtollConfig } from '../config.ts'
import { ask } from '../control/ask.ts'

interface Flags {
  data?: string
  config?: string
}

export const printLink = ({ data, config: file }: Flags): Promise<void> =>
  telling(async () => {
    const config = await loadAtollConfig({ file, env: process.env, flags: { data } })
    if ((await ask(config.data, 'status')) === undefined) {
      throw new CommandProblem(`Atoll does not run on ${config.data}: start it with ./atoll up.`)
    }
    const link = await ask<string | null>(config.data, 'console.link')
    if (!link) throw new CommandProblem('the platform does not run here: start it with ./atoll up.')
    process.stderr.write('This link logs you in, once and within 15 minutes:\n')
    console.log(link)
  })
