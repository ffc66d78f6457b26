// Waiting for containers over HTTP.
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type ContainersServer, openContainers } from './testing/containers-server.ts'

/** The head of the answer as it comes, and the body when it comes. */
async function openWait(server: ContainersServer, path: string) {
  let finish: (text: string) => void = () => {}
  const body = new Promise<string>((resolve) => {
    finish = resolve
  })
  let isOver = false
  const status = await new Promise<number>((resolve, reject) => {
    request(server.url + path, { method: 'POST' }, (response) => {
      resolve(response.statusCode ?? 0)
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        isOver = true
        finish(text)
      })
    })
      .on('error', reject)
      .end()
  })
  return { status, body: body.then((text) => JSON.parse(text)), isOver: () => isOver }
}

describe('waiting', () => {
  it('answers its head at once and the exit code when the container ends', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const wait = await openWait(server, `/containers/${id}/wait`)
    expect([wait.status, wait.isOver()]).toEqual([200, false])
    await server.post(`/containers/${id}/kill`)
    expect(await wait.body).toEqual({ StatusCode: 137 })
    expect((await server.post(`/containers/${id}/wait`)).body).toEqual({ StatusCode: 137 })
    expect((await server.post(`/containers/${id}/wait?condition=not-running`)).body).toEqual({ StatusCode: 137 })
  })

  it('waits for the next end although the container does not run yet', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['exit', '4'] })
    const wait = await openWait(server, `/containers/${id}/wait?condition=next-exit`)
    await server.post(`/containers/${id}/start`)
    expect(await wait.body).toEqual({ StatusCode: 4 })
  })

  it('waits until a container is gone that removes itself', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['exit', '5'], HostConfig: { AutoRemove: true } })
    const wait = await openWait(server, `/containers/${id}/wait?condition=removed`)
    await server.post(`/containers/${id}/start`)
    expect(await wait.body).toEqual({ StatusCode: 5 })
    expect((await server.get(`/containers/${id}/json`)).status).toBe(404)
    expect(server.mounts.removed).toEqual([id])
  })

  it('tells that a removal failed', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['true'] })
    const wait = await openWait(server, `/containers/${id}/wait?condition=removed`)
    server.images.failRemoval = new Error('the disk is on fire')
    expect((await server.delete(`/containers/${id}`)).status).toBe(500)
    expect(await wait.body).toEqual({ StatusCode: 0, Error: { Message: 'the disk is on fire' } })
    expect((await server.inspect(id)).State).toMatchObject({ Status: 'dead', Dead: true })
    server.images.failRemoval = undefined
    expect((await server.delete(`/containers/${id}`)).status).toBe(204)
  })

  it('refuses a condition it does not know', async () => {
    const server = await openContainers()
    const id = await server.create({})
    const { status, body } = await server.post(`/containers/${id}/wait?condition=tired`)
    expect([status, body.message]).toEqual([400, 'invalid condition: "tired"'])
    expect((await server.post('/containers/nobody/wait')).status).toBe(404)
  })

  it('keeps to the way of version 1.29: any condition, and the head when all is known', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const wait = openWait(server, `/v1.29/containers/${id}/wait?condition=tired`)
    const hadEnded = wait.then(() => server.actions().includes('die'))
    await server.post(`/containers/${id}/kill`)
    expect(await hadEnded).toBe(true)
    expect(await (await wait).body).toEqual({ StatusCode: 137 })
  })

  it('stops waiting with its client', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const abort = new AbortController()
    const { result } = server.containers.wait(id, 'next-exit', abort.signal)
    abort.abort(new Error('gone'))
    await expect(result).rejects.toThrow('gone')
  })
})
