import type { code as english } from "../en/code.ts";
import type { Translation } from "../translation.ts";

export const code: Translation<typeof english> = {
  pageTitle: "Ingrese su código",
  titleEmail: "Revise su correo",
  titlePhone: "Revise su teléfono",
  titlePhoneFirst: "Primero verifique su teléfono",
  leadEmail:
    "Enviamos un código de {digits} dígitos a {email}. Después le enviaremos otro por mensaje de texto a su teléfono.",
  leadPhone: "Enviamos un código de {digits} dígitos por mensaje de texto a su teléfono terminado en {ending}.",
  leadPhoneOfSignUp:
    "Su correo electrónico está verificado. Enviamos un código de {digits} dígitos por mensaje de texto a su teléfono terminado en {ending}.",
  leadPhoneFirst:
    "Hubo demasiadas contraseñas incorrectas para esta cuenta. Para continuar en este dispositivo, ingrese el código de {digits} dígitos que enviamos por mensaje de texto al teléfono de la cuenta. Después ingrese su contraseña.",
  startOver: "Empezar de nuevo",
  verify: "Verificar",
  verifying: "Verificando…",
  resend: "Reenviar código",
  noEmail:
    "¿No recibió el correo? Revise su carpeta de correo no deseado y la dirección de arriba, o <link>inicie sesión</link> si ya tiene una cuenta.",
  noText: "¿No recibió el mensaje? Revise su número, o <link>inicie sesión</link> si ya tiene una cuenta.",
  changeEmail: {
    title: "¿La dirección es incorrecta? Cámbiela",
    hint: "Enviaremos un código nuevo a esta dirección. Conservamos sus otras respuestas.",
    submit: "Cambiar la dirección",
  },
  changePhone: {
    title: "¿El número es incorrecto? Cámbielo",
    hint: "Enviaremos un código nuevo por mensaje de texto a este número. Conservamos sus otras respuestas.",
    submit: "Cambiar el número",
  },
  devices: {
    phone: "Su teléfono",
    inbox: "Su bandeja de entrada",
  },
  problems: {
    enterFromEmail: "Ingrese los {digits, select, ten {diez} other {seis}} dígitos del correo.",
    enterFromText: "Ingrese los {digits, select, ten {diez} other {seis}} dígitos del mensaje de texto.",
    expired: "Este código venció. Pida uno nuevo.",
    lastTry: "Ese no es el código, y era su último intento. Pida uno nuevo.",
    wrong: "Ese no es el código. Le {count, plural, one {queda 1 intento} other {quedan # intentos}}.",
    notFromEmail: "Ese no es el código de nuestro correo más reciente.",
    notFromText: "Ese no es el código de nuestro mensaje de texto más reciente.",
    longForEmail:
      "Hoy se ingresaron demasiados códigos incorrectos para este correo electrónico. Ingrese el código de diez dígitos que le enviamos.",
    longForPhone:
      "Hoy se ingresaron demasiados códigos incorrectos para este teléfono. Ingrese el código de diez dígitos que le enviamos.",
  },
  notices: {
    tooSoon: "Acabamos de enviar un código. Espere {seconds} segundos.",
    sent: "Un código nuevo va en camino.",
    longByEmail:
      "Enviamos muchos códigos a este correo electrónico. Ingrese el código de diez dígitos de nuestro correo más reciente. Funciona durante varias horas.",
    longByText:
      "Enviamos muchos códigos a este teléfono. Ingrese el código de diez dígitos de nuestro mensaje de texto más reciente. Funciona durante varias horas.",
  },
};
