// A shell in a container. This file and the terminal come when they are first asked for.
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { askOf, socketTo } from '../../api/service-client.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { at } from './engine.ts'
import { keepStyles } from './terminal-styles.ts'

const keptLines = 2_000
/** The best shell that is there. */
const shell = ['/bin/sh', '-c', 'exec "$(command -v bash || echo /bin/sh)"']
/** What is pasted goes in pieces. */
const pieceLetters = 64 * 1024

interface Props {
  id: string
  name: string
  isRunning: boolean
}

export function TerminalView({ id, name, isRunning }: Props) {
  const [round, setRound] = useState(0)
  if (!isRunning) return <Empty title="It does not run: there is nothing to type into." code={`docker start ${name}`} />
  return <Session key={round} id={id} name={name} again={() => setRound(round + 1)} />
}

type State = 'opening' | 'open' | { over: string }

function Session({ id, name, again }: Omit<Props, 'isRunning'> & { again(): void }) {
  const place = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<State>('opening')
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const styles = keepStyles()
    const terminal = new Terminal({ scrollback: keptLines, fontSize: 13, theme })
    const fit = new FitAddon()
    terminal.loadAddon(fit)
    terminal.open(element)
    fit.fit()
    const connection = connect(id, terminal, setState)
    const resized = new ResizeObserver(() => fit.fit())
    resized.observe(element)
    terminal.focus()
    return () => {
      resized.disconnect()
      connection.end()
      terminal.dispose()
      styles.dispose()
    }
  }, [id])
  return (
    <section className="terminal" aria-label={`Shell in ${name}`}>
      <div ref={place} className="terminal-screen" />
      {typeof state === 'object' && (
        <div className="actions">
          <Failure error={new Error(state.over)} again={again} />
        </div>
      )}
    </section>
  )
}

/** Dark in both themes: what programs colour is made for that. */
const theme = { background: '#101418', foreground: '#e7eaed' }

function connect(id: string, terminal: Terminal, setState: (state: State) => void): { end(): void } {
  let socket: WebSocket | undefined
  let isOver = false
  const open = async () => {
    const { rows, cols } = terminal
    const attach = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: true }
    const body = { ...attach, Cmd: shell, Env: ['TERM=xterm-256color'], ConsoleSize: [rows, cols] }
    const { Id: exec } = await askOf<{ Id: string }>('engine', at(id, '/exec'), { method: 'POST', body })
    if (isOver) return
    socket = join(exec, terminal, setState)
  }
  open().catch((error: unknown) => isOver || setState({ over: messageOf(error) }))
  return {
    end() {
      isOver = true
      socket?.close()
    },
  }
}

function join(exec: string, terminal: Terminal, setState: (state: State) => void): WebSocket {
  const socket = socketTo('engine', `/exec/${exec}/start`)
  socket.binaryType = 'arraybuffer'
  const resize = ({ rows, cols }: { rows: number; cols: number }) =>
    askOf('engine', `/exec/${exec}/resize?h=${rows}&w=${cols}`, { method: 'POST' }).catch(() => undefined)
  socket.onopen = () => setState('open')
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => terminal.write(new Uint8Array(data))
  socket.onclose = ({ reason }) => setState({ over: reason || 'The shell has ended.' })
  terminal.onResize(resize)
  terminal.onData((text) => {
    for (let begin = 0; begin < text.length; begin += pieceLetters) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text.slice(begin, begin + pieceLetters))
    }
  })
  return socket
}
