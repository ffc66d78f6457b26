// Whoever listens at the other end: what has reached people there.
import { once } from 'node:events'
import { connect } from 'node:net'
import { connectAsync } from 'mqtt'

export interface Listener {
  heard: string[]
  close(): Promise<void> | void
}

/** Sits in the channels and hears what is said there, and to itself. */
export async function ircListener(port: number, nick: string, ...channels: string[]): Promise<Listener> {
  const heard: string[] = []
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let rest = ''
  const inside = new Promise<void>((resolve) => {
    let waiting = channels.length
    socket.on('data', (text) => {
      const lines = (rest + text).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('PING')) socket.write(line.replace('PING', 'PONG').concat('\r\n'))
        if (/ 001 /.test(line)) channels.forEach((channel) => void socket.write(`JOIN ${channel}\r\n`))
        if (/ 366 /.test(line)) waiting -= 1
        if (waiting === 0 && (channels.length > 0 || / 001 /.test(line))) resolve()
        const said = / PRIVMSG (\S+) :(.*)$/.exec(line)
        if (said !== null) heard.push(`${said[1]} ${said[2]}`)
      }
    })
  })
  await once(socket, 'connect')
  socket.write(`NICK ${nick}\r\nUSER ${nick} 0 * :${nick}\r\n`)
  await inside
  return { heard, close: () => void socket.destroy() }
}

export async function topicListener(port: number, topic: string, user?: { name: string; password: string }) {
  const heard: { text: string; id: unknown }[] = []
  const client = await connectAsync({
    ...{ protocol: 'mqtt', host: '127.0.0.1', port, protocolVersion: 5 },
    ...(user !== undefined && { username: user.name, password: user.password }),
  })
  client.on('message', (_topic, payload, packet) => {
    heard.push({ text: payload.toString(), id: packet.properties?.userProperties?.id })
  })
  await client.subscribeAsync(topic, { qos: 1 })
  return { heard, close: () => client.endAsync(true) }
}
