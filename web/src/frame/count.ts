/** How many asks wait, in the title and on the icon. */

import { words } from '../words/words';

const SIZE = 32;
let drawn = -1;

export function showCount(count: number): void {
  document.title = count ? `(${count}) ${words.frame.name}` : words.frame.name;
  if (count === drawn) return;
  drawn = count;
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  if (!count) {
    link.href = '/icon.svg';
    return;
  }
  const canvas = document.createElement('canvas');
  canvas.width = SIZE;
  canvas.height = SIZE;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.fillStyle = '#2952b6';
  pen.fill(new Path2D('M9.5 3h13A7.5 7.5 0 0 1 30 10.5v7a7.5 7.5 0 0 1-7.5 7.5h-7.3l-6.1 4.6A1.3 1.3 0 0 1 7 28.6v-4a7.5 7.5 0 0 1-5-7.1v-7A7.5 7.5 0 0 1 9.5 3Z'));
  pen.fillStyle = '#fff';
  pen.font = `700 ${count > 9 ? 14 : 17}px sans-serif`;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(count > 99 ? '99' : String(count), 16, 15);
  link.href = canvas.toDataURL('image/png');
}
