// ./atoll status and ./atoll stop: of the Atoll that runs on a data folder.
import { CommandProblem, telling } from '../command-problem.ts'
import { loadAtollConfig } from '../config.ts'
import { timeText } from '../table.ts'
import type { Status } from '../up/control-commands.ts'
import { ask } from './ask.ts'

export interface FolderFlags {
  data?: string
  config?: string
}

/** As those of init scripts. */
const notRunningCode = 3

export async function folderOf({ data, config: file }: FolderFlags): Promise<string> {
  return (await loadAtollConfig({ file, env: process.env, flags: { data } })).data
}

export const showStatus = (flags: FolderFlags & { json?: boolean }): Promise<void> =>
  telling(async () => {
    const folder = await folderOf(flags)
    const status = await ask<Status>(folder, 'status')
    if (flags.json) console.log(JSON.stringify(status ?? null, null, 2))
    else process.stdout.write(status === undefined ? notRunning(folder) : statusText(status, folder))
    process.exitCode = status === undefined ? notRunningCode : isReady(status) ? 0 : 1
  })

export const stop = (flags: FolderFlags): Promise<void> =>
  telling(async () => {
    const folder = await folderOf(flags)
    const status = await ask<Status>(folder, 'status')
    if (status === undefined) {
      process.stdout.write(notRunning(folder))
      return
    }
    await ask(folder, 'stop')
    if ((await ask(folder, 'status')) !== undefined) throw new CommandProblem(`process ${status.pid} did not stop.`)
    console.log(`Atoll on ${folder} is stopped.`)
  })

const notRunning = (folder: string): string => `Atoll does not run on ${folder}. Start it with ./atoll up --detach\n`

const isReady = ({ services, absent }: Status): boolean =>
  Object.keys(absent).length === 0 && services.every(({ problem }) => problem === undefined)

function statusText({ pid, version, started_at, services, absent }: Status, folder: string): string {
  const lines = [
    ...services.map(({ name, url, problem }) => `  ${name.padEnd(10)} ${url.padEnd(30)} ${problem ?? 'ready'}`),
    ...Object.entries(absent).map(([name, reason]) => `  ${name.padEnd(10)} ${'-'.padEnd(30)} ${reason}`),
  ]
  const head = `Atoll ${version} runs on ${folder} (process ${pid}, since ${timeText(started_at)})`
  return `${[head, '', ...lines].join('\n')}\n`
}
