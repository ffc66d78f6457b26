// An e-mail as programs send them: in two forms, with another message and a file attached.
import { Buffer } from 'node:buffer'

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

const forwarded = [
  'From: Berta <berta@example.com>',
  'Subject: =?iso-8859-1?Q?Gr=FC=DFe_aus?= =?iso-8859-1?Q?_dem_Hafen?=',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Die Schiffe sind sch=F6n, und die Zeile ist =',
  'lang.',
]

export const emailFile = Buffer.from(
  [
    'Received: from somewhere',
    ' by elsewhere; Mon, 6 May 2024 10:00:00 +0000',
    'From: Anna <anna@example.com>',
    'To: Crew <crew@example.com>,',
    '\tCaptain <captain@example.com>',
    `Subject: =?utf-8?B?${base64('Crane № 7')}?=`,
    'Date: Mon, 6 May 2024 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    'This is a message in several parts.',
    '--outer',
    'Content-Type: multipart/alternative;',
    ' boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    base64('The crane lifts 40 t. ☂'),
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>The crane, in HTML.</p>',
    '--inner--',
    '--outer',
    'Content-Type: message/rfc822',
    '',
    ...forwarded,
    '--outer',
    'Content-Type: application/pdf',
    "Content-Disposition: attachment; filename*0*=utf-8''Kran%20; filename*1*=%E2%84%96.pdf",
    'Content-Transfer-Encoding: base64',
    '',
    base64('%PDF-1.7 nothing of it is text'.repeat(20)),
    '--outer--',
  ].join('\r\n'),
)
