// The texts of the dialog “You” in Spanish.

export const texts = {
  your_name: 'Tu nombre',
  name_how: 'Los demás lo ven. Puedes jugar sin nombre.',
  save: 'Guardar',
  other_device: 'Jugar en otro dispositivo',
  other_device_how: 'Este enlace da al otro dispositivo tus asientos y partidas. No se lo enseñes a nadie.',
  replace_link: 'Cambiar el enlace',
  replace_link_how: '¿Alguien más ha visto el enlace? Cámbialo. Conservas tu nombre, asientos y partidas, y el enlace antiguo deja de funcionar. Tus otros dispositivos necesitan el nuevo.',
  link_replaced: 'Cambiado. El enlace antiguo ya no funciona.',
  show_link: 'Mostrar el enlace',
  switch_player: '¿Cambiar a este jugador?',
  current_player: 'Aquí eres {name}. Guarda este enlace si quieres volver a ser {name}:',
  current_player_link: 'Enlace para volver a ser {name}',
  switch_back: 'Volver a ser {name}',
  former_players: 'Jugadores que fuiste en este dispositivo:',
  switch_player_how: 'Tendrás los asientos y partidas del otro dispositivo. Los de aquí se quedan con tu jugador actual.',
  yes: 'Sí',
  no: 'No',
};
