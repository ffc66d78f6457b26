import { describe, expect, it } from 'vitest'
import { addressFinder } from './find-address.ts'
import { requestSender } from './guarded-request.ts'
import { AllowedAddresses, isPrivate } from './private-addresses.ts'

describe('addresses in somebody’s own network', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '64:ff9b:1:fffe::1',
    'fec0::1',
    'feff::1',
    'fe80::1%eth0',
    '2002:7f00:1::',
    '2002:7f00:1::1',
    '2002:a01:203::5',
    '2002:c0a8:101::1',
    '2002:a9fe:a9fe::1',
    '2001:0:7f00:1::',
    '::7f00:1',
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '::ffff:7f00:1',
  ])('%s is one', (address) => {
    expect(isPrivate(address)).toBe(true)
  })

  it.each([
    ...['93.184.216.34', '172.32.0.1', '192.167.1.1', '2606:2800:220:1::1', '::ffff:93.184.216.34', '::ffff:5db8:d822'],
    ...['2002:5db8:d822::1', '2001:4860:4860::8888', '64:ff9b:2::1', 'ff::1'],
  ])('%s is none', (address) => {
    expect(isPrivate(address)).toBe(false)
  })

  it('are refused by every spelling, and by names that lead there', async () => {
    const find = addressFinder(new AllowedAddresses([]))
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '[::ffff:10.0.0.1]']) {
      await expect(find(host)).rejects.toMatchObject({
        forGood: true,
        message: expect.stringContaining('allowPrivateAddresses'),
      })
    }
    const send = requestSender(find)
    for (const url of [
      'http://2130706433/',
      'http://0x7f.1/',
      'http://127.1/',
      'http://localhost:1/',
      'http://[::ffff:7f00:1]/',
      'http://[::7f00:1]/',
      'http://[2002:7f00:1::]/',
      'http://[fec0::1]/',
    ]) {
      const { signal } = new AbortController()
      await expect(send({ method: 'GET', url, signal })).rejects.toMatchObject({ forGood: true })
    }
  })

  it('are used where the operator has named them: by address, range or name', async () => {
    expect(await addressFinder(new AllowedAddresses(['127.0.0.1']))('127.0.0.1')).toBe('127.0.0.1')
    expect(await addressFinder(new AllowedAddresses(['10.0.0.0/8']))('10.9.9.9')).toBe('10.9.9.9')
    expect(await addressFinder(new AllowedAddresses(['LOCALHOST']))('localhost')).toMatch(/^127\.0\.0\.1$|^::1$/)
    await expect(addressFinder(new AllowedAddresses(['10.0.0.0/8']))('192.168.0.1')).rejects.toThrow(/private/)
  })
})
