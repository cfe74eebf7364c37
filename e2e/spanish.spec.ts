import { expect } from "@playwright/test";
import { checkPage } from "./check-page.ts";
import { readCode } from "./harbor.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./http-shortcuts.ts";
import { sellerOption, test } from "./journey.ts";
import { openOffice } from "./live-page.ts";

test.use({ locale: "es-MX", viewport: { width: 360, height: 740 } });

test("a seller whose browser asks for Spanish signs up and is onboarded in it, on a phone", async ({
  page,
  seller,
  stack,
}) => {
  await page.goto(stack.partnerUrl);
  await expect(page.locator("html")).toHaveAttribute("lang", "es-US");
  await checkPage(page, "spanish-home");
  await page.getByRole("link", { name: "Registrarse como vendedor" }).click();
  await expect(page).toHaveTitle("Registro · Harbor");
  await page.getByLabel("Nombre").fill(seller.firstName);
  await page.getByLabel("Teléfono celular").fill("555-0123");
  await page.getByRole("button", { name: "Continuar" }).click();
  await expect(page.getByRole("heading", { name: "Revise 4 respuestas" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Ingrese su apellido." })).toBeVisible();
  await checkPage(page, "spanish-sign-up");
  await page.getByLabel("Apellido").fill(seller.lastName);
  await page.getByLabel("Correo electrónico").fill(seller.email);
  await page.getByLabel("Teléfono celular").fill(seller.phone);
  await page.getByLabel("Contraseña").fill(seller.password);
  await page.getByRole("button", { name: "Continuar" }).click();

  const code = page.getByRole("textbox", { name: "Código de verificación" });
  await code.fill(await readCode(page, "email"));
  await expect(page.getByRole("heading", { name: "Revise su teléfono" })).toBeVisible();
  await checkPage(page, "spanish-code");
  await code.fill(await readCode(page));

  await expect(page.getByRole("heading", { name: "Configure sus pagos" })).toBeVisible();
  const birthday = page.getByRole("group", { name: "Fecha de nacimiento" }).getByRole("textbox");
  for (const [index, part] of ["01", "31", "1990"].entries()) await birthday.nth(index).fill(part);
  await page.getByLabel("Número de Seguro Social").fill("900-12-3456");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: /^Este no puede ser un número de Seguro Social/ })).toBeVisible();
  await page.getByLabel("Número de Seguro Social").fill("519-55-1234");
  await page.getByRole("button", { name: "Continuar", exact: true }).click();
  await page.getByLabel("Calle y número").fill("12 Wharf Street");
  await page.getByLabel("Ciudad").fill("San Francisco");
  await page.getByLabel("Estado", { exact: true }).selectOption("CA");
  await page.getByLabel("Código postal").fill("94107");
  await page.getByRole("button", { name: "Continuar", exact: true }).click();
  await page.getByRole("button", { name: "Continuar", exact: true }).click();
  await expect(page).toHaveTitle("Revisión · Configure sus pagos · Harbor");
  await expect(page.getByText("31 de enero de 1990")).toBeVisible();
  await checkPage(page, "spanish-review");
  await page.getByRole("button", { name: "Enviar" }).click();
  await expect(page).toHaveURL(/\/onboarding\/status$/);
  await expect(page.getByRole("heading", { name: "Su cuenta está aprobada" })).toBeVisible();
  await expect(page).toHaveTitle("Su cuenta de pagos · Harbor");
  await checkPage(page, "spanish-status");

  await page.goto(`${stack.partnerUrl}/callback/problem?reason=denied`);
  await expect(page.getByRole("heading", { name: "Usted no autorizó a Harbor" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Intentar de nuevo" })).toBeVisible();
  await checkPage(page, "spanish-callback-problem");
  await page.getByRole("link", { name: "Volver a su cuenta de pagos" }).click();
  await expect(page.getByRole("heading", { name: "Su cuenta está aprobada" })).toBeVisible();

  // The language chosen here overrides the browser's.
  await page.getByRole("button", { name: "English" }).click();
  await expect(page.getByRole("heading", { name: "You're approved" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "en-US");
  await page.reload();
  await expect(page.getByRole("heading", { name: "You're approved" })).toBeVisible();
});

test("a seller reads payments and a statement in Spanish", async ({ browser, page, seller, stack: { partnerUrl } }) => {
  await connectByHttp(page, partnerUrl, seller);
  const operator = await openOffice(browser, partnerUrl);
  await payByHttp(operator, partnerUrl, { seller, amount: "125.50" });
  await operator.context().close();
  await page.goto(`${partnerUrl}/dashboard/payments`);
  await expect(page.getByText("$125.50 en las últimas 8 semanas")).toBeVisible();
  await checkPage(page, "spanish-payments");
  await page.getByRole("link", { name: "Sales of June" }).click();
  await expect(page.getByText("Este pago ya llegó")).toBeVisible();
  await checkPage(page, "spanish-payment");
  await page.goto(`${partnerUrl}/dashboard/payments/statement`);
  await expect(page.getByText("Recibido").first()).toBeVisible();
  await checkPage(page, "spanish-statement");
});

test("an operator pays one seller and then many in Spanish, and reads the outcome", async ({
  browser,
  page,
  seller,
  stack: { partnerUrl },
}) => {
  await connectByHttp(page, partnerUrl, seller);
  const office = await browser.newContext({ locale: "en-US" });
  await openOfficeByHttp(office, partnerUrl);
  const storageState = await office.storageState();
  const operator = await (await browser.newContext({ locale: "es-US", storageState })).newPage();

  await operator.goto(`${partnerUrl}/routines/new`);
  await expect(operator).toHaveTitle("Pagar a un vendedor · Harbor");
  await operator.getByLabel("Monto en dólares").fill("12,50");
  await operator.getByLabel("Concepto").fill("x".repeat(300));
  await expect(operator.getByText(/^Sobran \d+ caracteres$/)).toBeVisible();
  await operator.getByRole("button", { name: "Revisar" }).click();
  await expect(operator.getByRole("link", { name: "Elija un vendedor." })).toBeVisible();
  await expect(operator.getByRole("link", { name: "Use un punto antes de los centavos, como 120.50." })).toBeVisible();
  await expect(operator.getByRole("link", { name: /^El concepto del pago puede tener como máximo/ })).toBeVisible();
  await checkPage(operator, "spanish-pay-refused");
  await operator.getByLabel("Vendedor").selectOption({ label: sellerOption(seller) });
  await operator.getByLabel("Monto en dólares").fill("12.50");
  await operator.getByLabel("Concepto").fill("Ventas de junio");
  await operator.getByRole("button", { name: "Revisar" }).click();
  await operator.getByRole("button", { name: "Confirmar y pagar" }).click();
  await expect(operator.getByText("Transferencia: procesado", { exact: true })).toBeVisible();
  await expect(operator.locator("html")).toHaveAttribute("lang", "es-US");
  await checkPage(operator, "spanish-operators-payment");

  await operator.goto(`${partnerUrl}/routines/batch`);
  await operator
    .getByLabel("Pagos", { exact: true })
    .fill(`email,amount,for\n${seller.email},9.50,Feria\n${seller.email},,Feria`);
  await operator.getByRole("button", { name: "Revisar" }).click();
  await expect(operator.getByRole("link", { name: "Línea 3: Ingrese un monto." })).toBeVisible();
  await checkPage(operator, "spanish-batch-problems");
  await operator.getByLabel("Pagos", { exact: true }).fill(`email,amount,for\n${seller.email},9.50,Feria`);
  await operator.getByRole("button", { name: "Revisar" }).click();
  await operator.getByRole("button", { name: "Confirmar y hacer 1 pago" }).click();
  await expect(operator.getByText("1 de 1 pago enviado.")).toBeVisible();
  await expect(operator.getByText("Completado", { exact: true })).toBeVisible();

  await operator.goto(`${partnerUrl}/routines`);
  await expect(operator.getByRole("table", { name: "Pagos" }).getByText("Feria").first()).toBeVisible();
  await checkPage(operator, "spanish-operators-payments");
  await operator.getByLabel("Buscar").fill("nada de eso");
  await operator.getByRole("button", { name: "Mostrar" }).click();
  await expect(operator.getByText("Ningún pago coincide")).toBeVisible();
  await operator.context().close();
  await office.close();
});
