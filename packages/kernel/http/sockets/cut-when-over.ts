// A WebSocket must not outlive the right to it: whoever opened it is looked at again and again.
import type { WebSocket } from 'ws'

const notAllowed = 1008

export interface Rights {
  stillMay(): Promise<boolean>
  recheckMs: number
}

export function cutWhenOver(socket: WebSocket, { stillMay, recheckMs }: Rights): void {
  const look = async (): Promise<void> => {
    if (await stillMay().catch(() => false)) return
    socket.resume() // whoever is not listened to cannot say farewell either
    socket.close(notAllowed, 'The session is over.')
  }
  const timer = setInterval(() => void look(), recheckMs)
  socket.on('close', () => clearInterval(timer))
}
