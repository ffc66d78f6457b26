// One command at a time, with the rights of the database's clients. Arrow up brings earlier ones back.
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { askOf } from '../../api/service-client.ts'
import { PlainText } from '../../parts/plain-text.tsx'
import { replyText, splitCommand } from './command-text.ts'

const keptCommands = 100

interface Said {
  key: number
  command: string
  answer: string
}

export function CommandLine({ uid, name }: { uid: number; name: string }) {
  const [said, setSaid] = useState<Said[]>([])
  const [text, setText] = useState('')
  const [back, setBack] = useState(0)
  const [isBusy, setIsBusy] = useState(false)
  const run = async (event: FormEvent) => {
    event.preventDefault()
    const command = text.trim()
    if (command === '' || isBusy) return
    setIsBusy(true)
    const answer = await ask(uid, command).catch((error: unknown) => `(error) ${messageOf(error)}`)
    setSaid((before) => [...before, { key: (before.at(-1)?.key ?? 0) + 1, command, answer }].slice(-keptCommands))
    setText('')
    setBack(0)
    setIsBusy(false)
  }
  const recall = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const place = Math.max(0, Math.min(said.length, back + step))
    setBack(place)
    setText(place === 0 ? '' : (said.at(-place)?.command ?? ''))
  }
  return (
    <section className="card" aria-label="Command line">
      <h2>Command line</h2>
      <div aria-live="polite">
        <PlainText
          label="Answers"
          text={
            said.length === 0
              ? 'Try INFO memory, or SET greeting "hello world".'
              : said.map(({ command, answer }) => `${name}> ${command}\n${answer}`).join('\n')
          }
        />
      </div>
      <form className="command-line" onSubmit={run}>
        <input
          className="mono"
          aria-label="Command"
          autoComplete="off"
          spellCheck={false}
          maxLength={10_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={recall}
        />
        <button type="submit" disabled={isBusy}>
          Run
        </button>
      </form>
    </section>
  )
}

async function ask(uid: number, text: string): Promise<string> {
  const [command = '', ...args] = splitCommand(text)
  const body = { command, args }
  const { response } = await askOf<{ response: unknown }>('cluster', `/v1/bdbs/${uid}/command`, {
    method: 'POST',
    body,
  })
  return replyText(response)
}
