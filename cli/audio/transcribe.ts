// `./atoll transcribe`: a sound file written down by a server.
import { stat } from 'node:fs/promises'
import { CommandProblem } from '../command-problem.ts'
import { ProgressLine } from '../progress-line.ts'
import { AudioServer } from './audio-server.ts'
import { untilStopped } from './until-stopped.ts'

interface TranscribeFlags {
  format: string
  language?: string
  translate: boolean
  model: string
  url?: string
}

export const transcribe = (file: string, flags: TranscribeFlags): Promise<void> =>
  untilStopped(async (signal) => {
    const { format, language, translate, model, url } = flags
    const found = await stat(file).catch(() => undefined)
    if (!found?.isFile()) throw new CommandProblem(`there is no file ${file}.`)
    const server = new AudioServer(url, process.env)
    const progress = new ProgressLine(process.stderr)
    progress.show(`Listening to ${file}`)
    try {
      const fields = { model, response_format: format, ...(language === undefined ? {} : { language }) }
      const text = await server.writeDown(translate ? 'translations' : 'transcriptions', file, fields, signal)
      progress.close()
      process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
    } finally {
      progress.close()
    }
  })
