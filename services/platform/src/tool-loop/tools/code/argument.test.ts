import { describe, expect, it } from 'vitest'
import { codeOf } from './argument.ts'

describe('the code of a call', () => {
  it.each([
    ['{"code":"print(1)\\nprint(2)"}', 'print(1)\nprint(2)'],
    ['{"input":"print(1)"}', 'print(1)'],
    ['{"script_text":"print(1)"}', 'print(1)'],
    ['"print(1)"', 'print(1)'],
    ['print("a")\nprint({"code": 1})', 'print("a")\nprint({"code": 1})'],
    ['{"code":"```python\\nprint(1)\\n```"}', 'print(1)'],
    ['```python\nfor i in range(3):\n    print(i)\n```', 'for i in range(3):\n    print(i)'],
    ['```py\nprint(1)```', 'print(1)'],
    ['{"code": "print(\\"a\\")\nprint(2)"}', 'print("a")\nprint(2)'],
    ['{"code": "x = 1\\nprint(x', 'x = 1\nprint(x'],
    ['{"code":"a\\r\\nb"}', 'a\nb'],
    ['[1, 2]', '[1, 2]'],
    ['42', '42'],
    ['{"a":1,"b":2}', ''],
    ['', ''],
  ])('is understood from %j', (args, code) => {
    expect(codeOf(args)).toBe(code)
  })
})
