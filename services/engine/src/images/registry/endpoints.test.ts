import { describe, expect, it } from 'vitest'
import { readChallenges } from './challenge.ts'
import { hostOfAddress, pullEndpoints, pushEndpoints } from './endpoints.ts'
import { RegistrySettings } from './settings.ts'

const bases = (registry: string, settings: object = {}) =>
  pullEndpoints(registry, RegistrySettings.parse(settings)).map(
    ({ base, isInsecure }) => `${base}${isInsecure ? ' ?' : ''}`,
  )

describe('where a registry is', () => {
  it('is behind checked certificates, unless it is on this machine or is said to be insecure', () => {
    expect(bases('registry.example')).toEqual(['https://registry.example'])
    for (const host of ['localhost:5000', '127.0.0.1:5000', '127.8.9.1', '[::1]:5000']) {
      expect(bases(host)).toEqual([`https://${host} ?`, `http://${host} ?`])
    }
    const insecure = ['registry.example', 'other.example:5000', '10.0.0.0/8', 'fd00::/8', 'bad/99']
    for (const host of ['registry.example:443', 'other.example:5000', '10.1.2.3:5000', '[fd00::1]:80']) {
      expect(bases(host, { insecure })).toHaveLength(2)
    }
    for (const host of ['other.example:5001', '11.1.2.3:5000', '[fe80::1]:80', 'bad.example']) {
      expect(bases(host, { insecure })).toHaveLength(1)
    }
  })

  it('is nowhere when there can be no such address', () => {
    expect(() => bases('localhost:99999')).toThrow('invalid registry address: localhost:99999')
  })

  it('is behind its mirrors for pulls of the default registry alone', () => {
    const settings = { mirrors: ['https://mirror.example/', 'http://localhost:5000'] }
    expect(bases('docker.io', settings)).toEqual([
      'https://mirror.example',
      'http://localhost:5000 ?',
      'https://registry-1.docker.io',
    ])
    expect(pushEndpoints('docker.io', RegistrySettings.parse(settings))).toHaveLength(1)
    expect(bases('registry.example', settings)).toEqual(['https://registry.example'])
    expect(() => RegistrySettings.parse({ mirrors: ['mirror.example'] })).toThrow()
  })

  it('is meant by several addresses', () => {
    expect(['https://index.docker.io/v1/', 'registry-1.docker.io', 'docker.io'].map(hostOfAddress)).toEqual([
      'docker.io',
      'docker.io',
      'docker.io',
    ])
    expect(hostOfAddress('http://localhost:5000/v2/')).toBe('localhost:5000')
  })
})

describe('what a registry wants to see', () => {
  it('is read from one header or several', () => {
    const bearer = 'Bearer realm="https://auth.example/token",service="a, \\"b\\"",scope="repository:x:pull,push"'
    expect(readChallenges({ 'www-authenticate': `${bearer}, Basic realm=plain` })).toEqual([
      {
        scheme: 'bearer',
        parameters: { realm: 'https://auth.example/token', service: 'a, "b"', scope: 'repository:x:pull,push' },
      },
      { scheme: 'basic', parameters: { realm: 'plain' } },
    ])
    expect(readChallenges({})).toEqual([])
    expect(readChallenges({ 'www-authenticate': '"""=,,=' })).toEqual([])
    expect(readChallenges({ 'www-authenticate': 'x="y", Basic' })).toEqual([{ scheme: 'basic', parameters: {} }])
  })
})
